//! A command as a person pastes it into a shell.

/// As a shell takes it back.
pub fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@\\=,%".contains(c);
    // Plain words stay plain, because people read the command as well as paste it.
    // A word that begins with `=` is the path of a program in zsh; further on it is a sign like others.
    if !text.is_empty() && !text.starts_with('=') && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// An option and its value.
pub fn option(name: &str, value: &str) -> String {
    // After a space, a value that begins with `-` would be the next option.
    let between = if value.starts_with('-') { '=' } else { ' ' };
    format!("{name}{between}{}", quoted(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_command_survives_a_shell() {
        assert_eq!(quoted("/mnt/a"), "/mnt/a");
        assert_eq!(quoted("data,log=/mnt/a"), "data,log=/mnt/a");
        assert_eq!(quoted("=ls"), "'=ls'");
        assert_eq!(quoted("/mnt/my disk"), "'/mnt/my disk'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(option("--label", "db01"), "--label db01");
        assert_eq!(option("--label", "--yes"), "--label=--yes");
        assert_eq!(option("--label", "-x y"), "--label='-x y'");
    }
}
