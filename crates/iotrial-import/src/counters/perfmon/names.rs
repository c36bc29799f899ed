//! What PerfMon calls disks and their counters. It writes them in the language of the Windows that counted, and nothing else in the
//! file says which that is.

use iotrial_model::counters::Counter;

/// Whose counters they are. Ordered: disks as the system sees them go before the drives on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Object {
    Physical,
    Logical,
}

/// What a counter says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    /// What the model has as well.
    As(Counter),
    /// Percent of the time without I/O.
    Idle,
    /// The mean queue in percent, up to 100.
    DiskTime,
    /// The mean queue of one direction.
    PartOfQueue,
    /// The queue at the end of the interval.
    QueueNow,
}

const OBJECTS: [(Object, &[&str]); 2] = [
    (
        Object::Physical,
        &["PhysicalDisk", "Physikalischer Datenträger", "Disque physique", "Disco físico", "Физический диск"],
    ),
    (
        Object::Logical,
        &["LogicalDisk", "Logischer Datenträger", "Disque logique", "Disco lógico", "Логический диск"],
    ),
];

/// By counter: English, German, French, Spanish, Russian, as far as the names are known from published lists of such a system.
const COUNTERS: [(Counted, &[&str]); 15] = [
    (
        Counted::As(Counter::ReadIops),
        &[
            "Disk Reads/sec",
            "Lesevorgänge/s",
            "Lectures disque/s",
            "Lecturas de disco/s",
            "Обращений чтения с диска/с",
        ],
    ),
    (
        Counted::As(Counter::WriteIops),
        &[
            "Disk Writes/sec",
            "Schreibvorgänge/s",
            "Écritures disque/s",
            "Escrituras en disco/s",
            "Обращений записи на диск/с",
        ],
    ),
    (
        Counted::As(Counter::ReadBytes),
        &[
            "Disk Read Bytes/sec",
            "Bytes gelesen/s",
            "Lectures disque, octets/s",
            "Bytes de lectura de disco/s",
            "Скорость чтения с диска (байт/с)",
        ],
    ),
    (
        Counted::As(Counter::WriteBytes),
        &[
            "Disk Write Bytes/sec",
            "Bytes geschrieben/s",
            "Écritures disque, octets/s",
            "Bytes de escritura en disco/s",
            "Скорость записи на диск (байт/с)",
        ],
    ),
    (
        Counted::As(Counter::ReadLatency),
        &[
            "Avg. Disk sec/Read",
            "Mittlere Sek./Lesevorgänge",
            "Moyenne disque s/lecture",
            "Promedio de disco s/lectura",
            "Promedio de segundos de disco/lectura",
            "Среднее время чтения с диска (с)",
            "Среднее время чтения с диска (сек)",
        ],
    ),
    (
        Counted::As(Counter::WriteLatency),
        &[
            "Avg. Disk sec/Write",
            "Mittlere Sek./Schreibvorgänge",
            "Moyenne disque s/écriture",
            "Promedio de disco s/escritura",
            "Promedio de segundos de disco/escritura",
            "Среднее время записи на диск (с)",
            "Среднее время записи на диск (сек)",
        ],
    ),
    (
        Counted::As(Counter::Iops),
        &[
            "Disk Transfers/sec",
            "Übertragungen/s",
            "Transferts disque/s",
            "Transferencias de disco/s",
            "Обращений к диску/с",
        ],
    ),
    (Counted::As(Counter::Bytes), &["Disk Bytes/sec", "Bytes/s", "Octets disque/s"]),
    (
        Counted::As(Counter::Latency),
        &[
            "Avg. Disk sec/Transfer",
            "Mittlere Sek./Übertragung",
            "Moyenne disque s/transfert",
            "Среднее время обращения к диску (с)",
        ],
    ),
    (
        Counted::As(Counter::Queue),
        &[
            "Avg. Disk Queue Length",
            "Durchschnittl. Warteschlangenlänge des Datenträgers",
            "Longueur moyenne de file d'attente du disque",
            "Longitud media de la cola de disco",
            "Средняя длина очереди диска",
        ],
    ),
    (
        Counted::PartOfQueue,
        &[
            "Avg. Disk Read Queue Length",
            "Durchschnittl. Warteschlangenlänge der Datenträger-Lesevorgänge",
            "Longueur moyenne de file d'attente lecture disque",
        ],
    ),
    (
        Counted::PartOfQueue,
        &[
            "Avg. Disk Write Queue Length",
            "Durchschnittl. Warteschlangenlänge der Datenträger-Schreibvorgänge",
            "Longueur moyenne de file d'attente écriture disque",
        ],
    ),
    (
        Counted::QueueNow,
        &[
            "Current Disk Queue Length",
            "Aktuelle Warteschlangenlänge",
            "Taille de file d'attente du disque actuelle",
            "Longitud actual de la cola de disco",
            "Текущая длина очереди диска",
        ],
    ),
    (
        Counted::Idle,
        &[
            "% Idle Time",
            "Leerlaufzeit (%)",
            "% d'inactivité",
            "% de tiempo de inactividad",
            "Процент времени бездействия",
            "% времени бездействия",
        ],
    ),
    (Counted::DiskTime, &["% Disk Time", "Zeit (%)", "Pourcentage du temps disque", "% de tiempo de disco"]),
];

/// The object of that name.
pub(super) fn object(name: &str) -> Option<Object> {
    OBJECTS
        .iter()
        .find(|(_, names)| names.iter().any(|known| is_same(name, known)))
        .map(|(object, _)| *object)
}

/// The counter of that name.
pub(super) fn counted(name: &str) -> Option<Counted> {
    COUNTERS
        .iter()
        .find(|(_, names)| names.iter().any(|known| is_same(name, known)))
        .map(|(counted, _)| *counted)
}

/// Compared without regard to case, as Windows does. A letter of another code page was replaced when the file was read, and may have
/// been any; where more than a third of them were, as of Cyrillic, the name could be anything of its length, and is nothing.
fn is_same(name: &str, known: &str) -> bool {
    const LOST: char = '\u{fffd}';
    let lost = name.chars().filter(|letter| *letter == LOST).count();
    if 3 * lost > known.chars().count() {
        return false;
    }
    let mut letters = name.chars();
    let is_all = known.chars().all(|expected| {
        letters.next().is_some_and(|letter| {
            letter == expected
                || letter == LOST && !expected.is_ascii()
                || letter.to_lowercase().eq(expected.to_lowercase())
                // PowerShell and typeperf write the one or the other.
                || letter == '’' && expected == '\''
        })
    });
    is_all && letters.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_in_any_case_and_with_letters_that_a_code_page_lost() {
        assert_eq!(counted("disk reads/SEC"), Some(Counted::As(Counter::ReadIops)));
        assert_eq!(counted("ÉCRITURES disque/s"), Some(Counted::As(Counter::WriteIops)));
        assert_eq!(counted("Mittlere Sek./Lesevorg\u{fffd}nge"), Some(Counted::As(Counter::ReadLatency)));
        assert_eq!(object("Physikalischer Datentr\u{fffd}ger"), Some(Object::Physical));
        assert_eq!(counted("% d’inactivité"), Some(Counted::Idle));
        // As many letters as «Физический диск» and «Логический диск» both have.
        assert_eq!(
            object(
                "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd} \u{fffd}\u{fffd}\u{fffd}\u{fffd}"
            ),
            None
        );
        assert_eq!((counted("Disk Reads"), object("PhysicalDisks")), (None, None));
    }
}
