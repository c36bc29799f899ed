//! The steps of a plan: which ones, how long each is, and where they lie.

use std::time::Duration;

use super::{Arrival, Job, PhaseKind, Plan, PlanError, PlanRequest, bursts};
use crate::profile::{Profile, check_loads};
use crate::step::{MOST_LOAD_PERCENT, Step};

impl Plan {
    /// Where a step begins or ends, from the start of the load, in order: one more than there are steps; none without steps.
    ///
    /// What is due and not issued at one of them is given up there: it belongs to the load before it, and would be the next step's
    /// burst.
    pub fn step_borders(&self) -> Vec<Duration> {
        if self.steps.is_empty() {
            return Vec::new();
        }
        let before = self.phases.iter().take_while(|phase| phase.kind != PhaseKind::Measure);
        // Records come from strangers, whose times may add up to anything.
        let sum = |sum: Duration, one: Duration| sum.saturating_add(one);
        let start = before.map(|phase| phase.duration).fold(Duration::ZERO, sum);
        let ends = self.steps.iter().scan(start, |at, step| {
            *at = at.saturating_add(step.duration);
            Some(*at)
        });
        std::iter::once(start).chain(ends).collect()
    }

    /// How many times the outstanding I/Os of the full load a closed job has room for: more than once where steps go beyond it.
    pub fn depth_factor(&self) -> u32 {
        // A need is met at rates, by as many slots as the profile has.
        if self.need.is_some() { 1 } else { depth_factor(&self.steps) }
    }

    /// Outstanding I/Os that a job keeps, or may have, at this share of the full load: a closed load has fewer or more, the slots of
    /// others are only a bound.
    pub fn outstanding_at(&self, job: usize, share: f64) -> u32 {
        let all = self.jobs[job].total_iodepth();
        match self.jobs[job].arrival {
            Arrival::Closed => outstanding_of(all, self.depth_factor(), share),
            Arrival::Open { .. } | Arrival::Following { .. } => all,
        }
    }

    /// The same plan, whose load does not change, with a note about what was left out; for searches, which choose their loads
    /// themselves.
    #[must_use]
    pub fn without_steps(mut self) -> Self {
        if !self.steps.is_empty() {
            self.notes.push(format!(
                "the {} steps of `{}` are left out: the load does not change here",
                self.steps.len(),
                self.profile
            ));
            let factor = self.depth_factor();
            change_depth(&mut self.jobs, |iodepth| iodepth / factor);
            self.steps.clear();
        }
        self
    }
}

/// So many of `all` slots, which are `factor` times the full load, are in use at a share of it; where that is more than zero, one at least.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most `all`")]
fn outstanding_of(all: u32, factor: u32, share: f64) -> u32 {
    let factor = f64::from(factor);
    // The slots are numbered, and one is in use as soon as the share reaches beyond those before it.
    (f64::from(all) * share.clamp(0.0, factor) / factor).ceil() as u32
}

/// Gives what is closed, and what follows it, room for the steps beyond the full load.
pub(super) fn deepen(jobs: &mut [Job], steps: &[Step]) {
    let factor = depth_factor(steps);
    change_depth(jobs, |iodepth| iodepth.saturating_mul(factor));
}

fn change_depth(jobs: &mut [Job], change: impl Fn(u32) -> u32) {
    let is_closed: Vec<bool> = jobs.iter().map(|job| job.arrival == Arrival::Closed).collect();
    for (job, is_closed_itself) in jobs.iter_mut().zip(&is_closed) {
        let follows_one = matches!(job.arrival, Arrival::Following { job, .. } if is_closed[job]);
        if *is_closed_itself || follows_one {
            job.iodepth = change(job.iodepth);
        }
    }
}

/// The highest load of the steps in whole times of the full one, at least one: so the full load is a whole number of slots.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "no step is beyond ten times the full load"
)]
fn depth_factor(steps: &[Step]) -> u32 {
    let most = MOST_LOAD_PERCENT / 100.0;
    let highest = steps.iter().map(|step| step.last_share().max(step.first_share())).fold(1.0, f64::max);
    highest.clamp(1.0, most).ceil() as u32
}

/// The steps of a load, and the measured phase that they make.
pub(super) fn decide(
    profile: &Profile,
    request: &PlanRequest,
    measure: Duration,
    notes: &mut Vec<String>,
) -> Result<(Vec<Step>, Duration), PlanError> {
    let is_by_user = request.measure.is_some();
    let is_staircase = !request.staircase.is_empty();
    if !is_staircase && profile.steps.is_empty() {
        return Ok((Vec::new(), bursts::measured_phase(profile, measure, is_by_user, notes)?));
    }
    let (mut steps, all) = if is_staircase {
        let shares = &request.staircase;
        check_loads(shares.iter().copied()).map_err(PlanError::Steps)?;
        let steps: Vec<Step> = shares.iter().map(|percent| Step::constant(measure, *percent)).collect();
        // Without a word about the time each step is measured as long as the load would be without steps: so each is as good.
        let all = if is_by_user { measure } else { measure.saturating_mul(count_of(&steps)) };
        (steps, all)
    } else {
        (profile.steps.clone(), measure)
    };
    let count = count_of(&steps);
    let full: Duration = steps.iter().map(|step| step.duration).sum();
    let (mut at, mut at_full) = (Duration::ZERO, Duration::ZERO);
    for step in &mut steps {
        at_full += step.duration;
        // The end of each in proportion, to whole milliseconds: so they add up to the phase, however many there are.
        let end = to_ms(all.mul_f64(at_full.as_secs_f64() / full.as_secs_f64()));
        let each = bursts::measured_phase(profile, end.saturating_sub(at), is_by_user, notes);
        step.duration = each.map_err(|error| match error {
            // The user gives the time of all steps, which are alike.
            PlanError::PartOfPeriod { period, whole, .. } if is_staircase => {
                PlanError::PartOfPeriod { asked: measure, period, whole: whole.saturating_mul(count) }
            }
            other => other,
        })?;
        at = end;
    }
    let measure = steps.iter().map(|step| step.duration).sum();
    whole(steps, measure)
}

/// Less is a moment. That a step of less than a second is not judged is told with its figures.
const SHORTEST_STEP: Duration = Duration::from_millis(100);

fn whole(steps: Vec<Step>, measure: Duration) -> Result<(Vec<Step>, Duration), PlanError> {
    match steps.iter().position(|step| step.duration < SHORTEST_STEP) {
        Some(position) => {
            Err(PlanError::ShortStep { number: position + 1, duration: steps[position].duration })
        }
        None => Ok((steps, measure)),
    }
}

fn count_of(steps: &[Step]) -> u32 {
    u32::try_from(steps.len()).unwrap_or(u32::MAX)
}

fn to_ms(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from((time.as_nanos() + 500_000) / 1_000_000).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{EngineKind, TargetFacts, TargetKind};
    use crate::units::ByteSize;

    const STEPS: &str = "[[step]]\nname = \"build-up\"\nduration = \"10m\"\nload = \"100 %\"\nshape = \"linear\"\njudged = false\n\
                         [[step]]\nname = \"peak\"\nduration = \"40m\"\nload = \"100 %\"\n";

    fn profile(steps: &str, job: &str) -> Profile {
        let text = format!(
            "format = \"iotrial.profile/1\"\nname = \"a\"\ntitle = \"A\"\n{}\n\
             quick = {{ size = \"1GiB\", duration = \"30s\" }}\n{steps}\
             [[job]]\nname = \"a\"\nrole = \"data\"\npattern = \"random\"\nrwmix_read_percent = 0\nblock_size = \"8KiB\"\n\
             iodepth = 8\nsize = \"1GiB\"\n{job}",
            if steps.is_empty() {
                "schedule = { ramp = \"5s\", duration = \"300s\" }"
            } else {
                "schedule = { ramp = \"5s\" }"
            },
        );
        Profile::parse(&text).unwrap_or_else(|mistakes| panic!("{mistakes}"))
    }

    fn decided(profile: &Profile, request: PlanRequest) -> Result<Plan, PlanError> {
        let target = TargetFacts {
            path: "sim".into(),
            kind: TargetKind::Imagined,
            sector_size: ByteSize::bytes(512),
            roles: Vec::new(),
        };
        Plan::decide(profile, &request, &[target])
    }

    fn lengths(plan: &Plan) -> Vec<u64> {
        plan.steps.iter().map(|step| step.duration.as_secs()).collect()
    }

    fn request() -> PlanRequest {
        PlanRequest::of_engine(EngineKind::Sim)
    }

    #[test]
    fn a_staircase_in_parts_of_a_period_is_refused_with_the_time_of_all_its_steps() {
        let profile = crate::builtin::builtin_profile("sqlserver-checkpoint").unwrap();
        let (asked, whole) = (Duration::from_secs(60), Duration::from_secs(180));
        let request = PlanRequest { measure: Some(asked), staircase: vec![50.0, 75.0, 100.0], ..request() };
        let error =
            decide(&Profile::parse(profile.text).unwrap(), &request, asked, &mut Vec::new()).unwrap_err();
        assert!(
            matches!(error, PlanError::PartOfPeriod { asked: a, whole: w, .. } if (a, w) == (asked, whole)),
            "{error:?}"
        );
    }

    #[test]
    fn steps_keep_their_proportion_in_the_quick_form_and_in_a_given_time() {
        let profile = profile(STEPS, "");
        let full = decided(&profile, PlanRequest { full: true, ..request() }).unwrap();
        assert_eq!((lengths(&full), full.duration().as_secs()), (vec![600, 2_400], 3_005));
        assert_eq!(lengths(&decided(&profile, request()).unwrap()), [6, 24]);
        let asked = PlanRequest { measure: Some(Duration::from_secs(100)), ..request() };
        let plan = decided(&profile, asked).unwrap();
        assert_eq!(lengths(&plan), [20, 80]);
        let borders: Vec<u64> = plan.step_borders().iter().map(Duration::as_secs).collect();
        // The profile has no ramp of its own in its quick form.
        assert_eq!(borders, [0, 20, 100]);
        let short = PlanRequest { measure: Some(Duration::from_millis(400)), ..request() };
        let error = decided(&profile, short).unwrap_err();
        assert_eq!(error, PlanError::ShortStep { number: 1, duration: Duration::from_millis(80) });
    }

    #[test]
    fn a_staircase_divides_a_given_time_and_else_takes_the_profiles_for_each_step() {
        let plain = profile("", "rate = \"1000 iops\"\n");
        let staircase = vec![25.0, 50.0, 150.0];
        let plan = decided(&plain, PlanRequest { staircase: staircase.clone(), ..request() }).unwrap();
        assert_eq!((lengths(&plan), plan.duration().as_secs()), (vec![30; 3], 90));
        let measure = Some(Duration::from_secs(60));
        let plan = decided(&plain, PlanRequest { staircase, measure, ..request() }).unwrap();
        assert_eq!(lengths(&plan), [20; 3]);
        // A time that cannot be divided evenly is kept all the same, and each step is whole milliseconds.
        let staircase = vec![25.0, 50.0, 100.0];
        let measure = Some(Duration::from_secs(10));
        let plan = decided(&plain, PlanRequest { staircase, measure, ..request() }).unwrap();
        let milliseconds: Vec<_> = plan.steps.iter().map(|step| step.duration.as_millis()).collect();
        assert_eq!((milliseconds, plan.duration().as_secs()), (vec![3_333, 3_334, 3_333], 10));
        // In place of the steps of the profile.
        let staircase = vec![50.0, 100.0];
        let plan = decided(&profile(STEPS, ""), PlanRequest { staircase, ..request() }).unwrap();
        assert_eq!(plan.steps.len(), 2);
        assert!(plan.steps.iter().all(|step| step.judged && step.is_constant()));
    }

    #[test]
    fn a_closed_load_beyond_its_own_has_more_outstanding_ios_and_its_own_at_a_hundred_percent() {
        let staircase = vec![50.0, 100.0, 250.0];
        let plan = decided(&profile("", ""), PlanRequest { staircase, ..request() }).unwrap();
        assert_eq!((plan.depth_factor(), plan.jobs[0].iodepth), (3, 24));
        assert_eq!([0.5, 1.0, 2.5, 3.0].map(|share| plan.outstanding_at(0, share)), [4, 8, 20, 24]);
        let beyond = PlanRequest { staircase: vec![50.0, 1_001.0], ..request() };
        assert!(matches!(decided(&profile("", ""), beyond), Err(PlanError::Steps(_))));
        assert_eq!(plan.without_steps().jobs[0].iodepth, 8);
    }

    #[test]
    fn more_than_all_of_a_needed_rate_is_a_step_like_others() {
        let need = Some("1000iops".parse().unwrap());
        let request = PlanRequest { staircase: vec![50.0, 150.0], need: need.clone(), ..request() };
        let plan = decided(&profile("", ""), request).unwrap();
        // Its rates come from the need, and the slots are those of the profile.
        assert_eq!((plan.steps.len(), plan.depth_factor(), plan.jobs[0].iodepth), (2, 1, 8));
        assert_eq!(plan.need, need);
    }

    #[test]
    fn each_step_holds_whole_periods_of_bursts() {
        let bursts = "rate = \"1000 iops\"\nbursts = { period = \"20s\", spread = \"5s\" }\n";
        let staircase = vec![50.0, 100.0];
        let plan = decided(&profile("", bursts), PlanRequest { staircase, ..request() }).unwrap();
        assert_eq!(lengths(&plan), [40, 40]);
    }

    #[test]
    fn a_plan_without_steps_says_that_it_had_some() {
        let plan = decided(&profile(STEPS, ""), request()).unwrap().without_steps();
        assert!(plan.steps.is_empty() && plan.notes[0].starts_with("the 2 steps of `a` are left out"));
    }

    #[test]
    fn a_closed_load_has_at_least_one_outstanding_io() {
        let plan = decided(&profile(STEPS, ""), request()).unwrap();
        assert_eq!([0.0, 0.01, 0.5, 0.51, 1.0].map(|share| plan.outstanding_at(0, share)), [0, 1, 4, 5, 8]);
    }
}
