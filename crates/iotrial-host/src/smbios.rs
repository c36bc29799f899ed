//! The tables of the firmware (DMTF DSP0134, System Management BIOS) with the header that Windows puts before them
//! (`RawSMBIOSData`), as far as they say whose machine it is.
//!
//! Read as bytes, so that this is safe code that is tested on every system.

/// What the tables say; empty where they do not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Smbios {
    pub(crate) bios_vendor: String,
    pub(crate) manufacturer: String,
    pub(crate) product: String,
    pub(crate) chassis_asset_tag: String,
}

/// Bytes of Windows before the first table.
const HEADER: usize = 8;

impl Smbios {
    /// Reads the first table of each kind. What is cut off or does not add up ends it.
    pub(crate) fn read(tables: &[u8]) -> Self {
        let mut found = Self::default();
        let mut rest = tables.get(HEADER..).unwrap_or_default();
        // Type, length of the fixed part, handle; then its fields, texts with a zero behind each, and one more zero.
        while let [kind, length, ..] = *rest {
            let (kind, length) = (kind, usize::from(length));
            let (Some(fields), true) = (rest.get(..length), length >= 4) else { break };
            let Some(end) = rest[length..].windows(2).position(|pair| pair == [0, 0]) else { break };
            let texts: Vec<&[u8]> = rest[length..length + end].split(|byte| *byte == 0).collect();
            // A field holds the number of a text, from 1.
            let text = |at: usize| {
                let number = usize::from(*fields.get(at)?);
                let text = texts.get(number.checked_sub(1)?)?;
                Some(String::from_utf8_lossy(text).trim().to_owned())
            };
            let mut take = |into: fn(&mut Self) -> &mut String, at: usize| {
                let place = into(&mut found);
                if place.is_empty() {
                    *place = text(at).unwrap_or_default();
                }
            };
            match kind {
                0 => take(|found| &mut found.bios_vendor, 4),
                1 => {
                    take(|found| &mut found.manufacturer, 4);
                    take(|found| &mut found.product, 5);
                }
                3 => take(|found| &mut found.chassis_asset_tag, 8),
                // The end of the tables.
                127 => break,
                _ => {}
            }
            rest = &rest[length + end + 2..];
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(kind: u8, fields: &[u8], texts: &[&str]) -> Vec<u8> {
        let length = u8::try_from(4 + fields.len()).unwrap();
        let mut table = vec![kind, length, 0, 0];
        table.extend_from_slice(fields);
        for text in texts {
            table.extend_from_slice(text.as_bytes());
            table.push(0);
        }
        table.extend_from_slice(if texts.is_empty() { &[0, 0] } else { &[0] });
        table
    }

    fn machine() -> Vec<u8> {
        [
            vec![0; HEADER],
            table(0, &[1, 2], &["SeaBIOS", "1.16"]),
            table(32, &[0; 7], &[]),
            table(1, &[1, 2, 0, 0], &["QEMU", "Standard PC (Q35 + ICH9, 2009)"]),
            table(3, &[1, 1, 2, 3, 4], &["QEMU", "pc-q35", "0", "OracleCloud.com"]),
            table(127, &[], &[]),
            table(1, &[1, 1], &["behind the end"]),
        ]
        .concat()
    }

    #[test]
    fn the_maker_the_product_and_the_asset_tag_are_read() {
        let found = Smbios::read(&machine());
        assert_eq!((found.bios_vendor.as_str(), found.manufacturer.as_str()), ("SeaBIOS", "QEMU"));
        assert_eq!(found.product, "Standard PC (Q35 + ICH9, 2009)");
        assert_eq!(found.chassis_asset_tag, "OracleCloud.com");
    }

    #[test]
    fn tables_that_are_cut_off_or_make_no_sense_give_what_was_whole() {
        let whole = machine();
        for length in 0..whole.len() {
            let found = Smbios::read(&whole[..length]);
            assert!(found.manufacturer.is_empty() || found.manufacturer == "QEMU");
        }
        assert_eq!(Smbios::read(&[1, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0]), Smbios::default());
        assert_eq!(Smbios::read(&[255; 300]), Smbios::default());
        // A number of a text that is not there.
        let odd = [vec![0; HEADER], table(1, &[9, 9], &["only one"])].concat();
        assert_eq!(Smbios::read(&odd), Smbios::default());
    }
}
