//! Replies.

use std::io;
