//! Ctrl-C and the like while a program of ours runs in a process group of its own, which they do not reach: they end that
//! program first, then us.

#[cfg(unix)]
pub(super) use on_unix::Signals;

#[cfg(unix)]
mod on_unix {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, LazyLock, Once};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::{flag, low_level};

    /// Whether signals do what they always do.
    static USUAL: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
    /// The signal that came while they do not.
    static CAME: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);
    /// Handlers cannot be taken back, so they are set once.
    static HANDLED: Once = Once::new();

    /// Signals that are held back.
    pub(in super::super) struct Signals;

    impl Signals {
        pub(in super::super) fn held() -> Self {
            CAME.store(0, Ordering::SeqCst);
            USUAL.store(false, Ordering::SeqCst);
            HANDLED.call_once(|| {
                for signal in [SIGHUP, SIGINT, SIGTERM] {
                    let number = usize::try_from(signal).unwrap_or_default();
                    let _ = flag::register_conditional_default(signal, Arc::clone(&USUAL));
                    let _ = flag::register_usize(signal, Arc::clone(&CAME), number);
                }
            });
            Self
        }

        pub(in super::super) fn came(&self) -> bool {
            CAME.load(Ordering::SeqCst) != 0
        }

        /// One that came meanwhile does its work now.
        pub(in super::super) fn release(&self) {
            USUAL.store(true, Ordering::SeqCst);
            if let Some(signal) = i32::try_from(CAME.load(Ordering::SeqCst)).ok().filter(|s| *s != 0) {
                let _ = low_level::emulate_default_handler(signal);
            }
        }
    }
}

/// Elsewhere a program gets them as we do.
#[cfg(not(unix))]
pub(super) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(super) fn held() -> Self {
        Self
    }

    pub(super) fn came(&self) -> bool {
        false
    }

    pub(super) fn release(&self) {}
}
