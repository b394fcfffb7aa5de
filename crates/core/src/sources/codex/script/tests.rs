//! Scripts of the code mode, and what is read of them.
