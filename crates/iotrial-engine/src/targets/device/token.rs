//! The consent to destroy what is on a device.

use sha2::{Digest as _, Sha256};

use super::super::sample::ContentSample;
use super::super::signature::Signature;
use super::Identity;

/// The consent to destroy this content on this device of this host: 64 bits of a hash, as 16 digits.
///
/// It is no secret. It proves that somebody looked at this very device, and it cannot be pasted from another
/// host, nor become a habit in a script.
pub(super) fn token(
    host_id: &str,
    identity: &Identity,
    signatures: &[Signature],
    content: &ContentSample,
) -> String {
    let mut digest = Sha256::new();
    // The number changes when what goes into a token does: one of an earlier version then means nothing, and
    // not something else.
    digest.update(b"iotrial token 1\0");
    digest.update(Sha256::digest(host_id));
    digest.update(identity.digest());
    for Signature { name, offset } in signatures {
        digest.update(format!("{name}\0{offset}\0"));
    }
    digest.update(content.digest);
    digest.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use iotrial_model::units::ByteSize;

    use super::*;

    #[test]
    fn a_token_is_for_one_host_one_device_and_one_content() {
        let identity = Identity {
            number: "8:0".into(),
            serial: Some("S1".into()),
            size: ByteSize::GIB,
            diskseq: Some(9),
        };
        let signatures = [Signature { name: "xfs".into(), offset: 0 }];
        let content =
            ContentSample { sampled_bytes: 0, used_bytes: 0, first_used_offset: None, digest: [1; 32] };
        let first = token("host", &identity, &signatures, &content);
        assert_eq!(first.len(), 16);
        assert_eq!(first, token("host", &identity.clone(), &signatures, &content));
        let others = [
            token("other host", &identity, &signatures, &content),
            token("host", &Identity { number: "8:1".into(), ..identity.clone() }, &signatures, &content),
            token("host", &Identity { serial: None, ..identity.clone() }, &signatures, &content),
            token("host", &Identity { size: ByteSize::MIB, ..identity.clone() }, &signatures, &content),
            token("host", &Identity { diskseq: Some(10), ..identity.clone() }, &signatures, &content),
            token("host", &identity, &[], &content),
            token("host", &identity, &signatures, &ContentSample { digest: [2; 32], ..content.clone() }),
        ];
        assert!(!others.contains(&first));
    }
}
