//! Ctrl-C and the like while a program of ours runs in a process group of its own, which they do not reach: they end that
//! program first, and us when what was made for it is cleared away.

#[cfg(unix)]
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
#[cfg(unix)]
use std::sync::{Arc, LazyLock, Once};

/// Whether signals do what they always do.
#[cfg(unix)]
static USUAL: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// The signal that came while they do not.
#[cfg(unix)]
static CAME: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);
/// Handlers cannot be taken back, so they are set once.
#[cfg(unix)]
static HANDLED: Once = Once::new();

/// Does something that looks at [`came`] now and then. A signal that came meanwhile does its work afterwards.
#[cfg(unix)]
pub(super) fn held<T>(work: impl FnOnce() -> T) -> T {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::{flag, low_level};
    CAME.store(0, Ordering::SeqCst);
    USUAL.store(false, Ordering::SeqCst);
    HANDLED.call_once(|| {
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            let number = usize::try_from(signal).unwrap_or_default();
            let _ = flag::register_conditional_default(signal, Arc::clone(&USUAL));
            let _ = flag::register_usize(signal, Arc::clone(&CAME), number);
        }
    });
    let done = work();
    USUAL.store(true, Ordering::SeqCst);
    if let Some(signal) = i32::try_from(CAME.load(Ordering::SeqCst)).ok().filter(|s| *s != 0) {
        let _ = low_level::emulate_default_handler(signal);
    }
    done
}

/// Whether one came.
#[cfg(unix)]
pub(super) fn came() -> bool {
    CAME.load(Ordering::SeqCst) != 0
}

/// Elsewhere a program gets them as we do.
#[cfg(not(unix))]
pub(super) fn held<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[cfg(not(unix))]
pub(super) fn came() -> bool {
    false
}
