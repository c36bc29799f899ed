//! The right «Lock pages in memory». An account has it or has not, and a process that wants to use it has to switch it on.
#![expect(unsafe_code, reason = "privileges are not in std")]

use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::ptr::{null, null_mut};
use std::sync::Once;

use windows_sys::Win32::Foundation::LUID;
use windows_sys::Win32::Security::{
    AdjustTokenPrivileges, LUID_AND_ATTRIBUTES, LookupPrivilegeValueW, SE_LOCK_MEMORY_NAME,
    SE_PRIVILEGE_ENABLED, TOKEN_ADJUST_PRIVILEGES, TOKEN_PRIVILEGES, TOKEN_QUERY,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Switches the right on for this process, once. Without it the calls that need it are refused, and say so.
pub(crate) fn switch_on() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut token = null_mut();
        // SAFETY: the handle of the own process is always valid, and the place of the token outlives the call.
        let is_open = unsafe {
            OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY, &raw mut token)
        };
        if is_open == 0 {
            return;
        }
        // SAFETY: it was opened above and belongs to nobody else.
        let token = unsafe { OwnedHandle::from_raw_handle(token) };
        let mut id = LUID::default();
        // SAFETY: the name ends with a zero, null is this system, and the number outlives the call.
        if unsafe { LookupPrivilegeValueW(null(), SE_LOCK_MEMORY_NAME, &raw mut id) } == 0 {
            return;
        }
        let wanted = TOKEN_PRIVILEGES {
            PrivilegeCount: 1,
            Privileges: [LUID_AND_ATTRIBUTES { Luid: id, Attributes: SE_PRIVILEGE_ENABLED }],
        };
        // It succeeds without the right as well. Whether it is there shows in the calls that need it.
        // SAFETY: the token is open, the list outlives the call, and what was set before is not wanted.
        unsafe {
            AdjustTokenPrivileges(token.as_raw_handle(), 0, &raw const wanted, 0, null_mut(), null_mut());
        }
    });
}
