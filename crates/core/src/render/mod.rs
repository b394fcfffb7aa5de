//! Lesson → file. Today: SKILL.md by the Agent Skills specification.

mod skill;

pub use skill::{Skill, existing_skill, skill};
