//! The SHA-256 of the style sheet, by which the content security policy admits it and nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest, Sha256};

/// The source expression for the policy: `sha256-…`.
pub(crate) fn source_expression(style: &str) -> String {
    format!("sha256-{}", BASE64.encode(Sha256::digest(style)))
}
