//! Makes a call by tool name and returns the answer.
//!
//! The files that a call reads and writes are known before the call (`CallAccess`), so calls can run concurrently.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::diagnostic::Code;

use super::request::{EditRequest, read};
use super::response::{Answer, Refusal};
use super::watch::Watch;
use super::{Engine, Refused};

/// The answer of any tool.
pub trait AnyAnswer: Send {
    /// Returns the answer as JSON.
    fn as_json(&self) -> Value;
    /// Returns the answer as text.
    fn as_text(&self) -> String;
    /// Returns the code of the failure if the answer explains why there is no result.
    fn why_none(&self) -> Option<Code>;
}

impl<A: Answer + Send> AnyAnswer for A {
    fn as_json(&self) -> Value {
        serde_json::to_value(self).expect("an answer is plain data")
    }

    fn as_text(&self) -> String {
        self.text()
    }

    fn why_none(&self) -> Option<Code> {
        self.failure()
    }
}

/// A call whose arguments are read, before it is made.
pub struct Call {
    tool: &'static str,
    pub(super) reach: CallAccess,
    /// The edits, if the tool edits nodes.
    pub(super) edits: Option<EditRequest>,
    make: Box<Make>,
}

/// Makes a call. The edit of a call that edits nodes gets the given id.
type Make =
    dyn Fn(&Engine, &dyn Watch, Option<&str>) -> Result<Box<dyn AnyAnswer>, Refused> + Send + Sync;

/// The files that a call reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallAccess {
    /// Reads a file, a directory or the matches of a glob.
    Path(String),
    /// Reads these files, and writes them if `writes` is set.
    Files { paths: Vec<String>, writes: bool },
    /// Reads and writes the files of the edit with this id.
    Edit(String),
    /// May read all files, and write them if `writes` is set.
    Everything { writes: bool },
}

impl Call {
    /// Returns the name of the call's tool.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// Makes the call.
    ///
    /// # Errors
    /// As the engine's method for the tool.
    pub fn make(&self, engine: &Engine, watch: &dyn Watch) -> Result<Box<dyn AnyAnswer>, Refused> {
        (self.make)(engine, watch, None)
    }

    /// Makes the call. Its edit gets the id. If an edit with the id is already written, returns that edit.
    pub(super) fn make_once(
        &self,
        engine: &Engine,
        watch: &dyn Watch,
        edit_id: Option<&str>,
    ) -> Result<Box<dyn AnyAnswer>, Refused> {
        (self.make)(engine, watch, edit_id)
    }
}

pub(super) fn files<'a>(paths: impl IntoIterator<Item = &'a String>, writes: bool) -> CallAccess {
    CallAccess::Files {
        paths: paths.into_iter().cloned().collect(),
        writes,
    }
}

/// Reads a call that takes negligible time.
pub(super) fn quick<Q, A>(
    tool: &'static str,
    given: Value,
    reach: impl Fn(&Q) -> CallAccess,
    verb: fn(&Engine, &Q) -> Result<A, Refused>,
) -> Result<Call, Refused>
where
    Q: for<'de> Deserialize<'de> + JsonSchema + Send + Sync + 'static,
    A: Answer + Send + 'static,
{
    let request = request_of::<Q>(tool, given)?;
    let reach = reach(&request);
    Ok(Call {
        tool,
        reach,
        edits: None,
        make: Box::new(move |engine, _, _| Ok(Box::new(verb(engine, &request)?))),
    })
}

/// Reads a call that reports its progress.
pub(super) fn watched<Q, A>(
    tool: &'static str,
    given: Value,
    reach: impl Fn(&Q) -> CallAccess,
    verb: fn(&Engine, &Q, &dyn Watch) -> Result<A, Refused>,
) -> Result<Call, Refused>
where
    Q: for<'de> Deserialize<'de> + JsonSchema + Send + Sync + 'static,
    A: Answer + Send + 'static,
{
    let request = request_of::<Q>(tool, given)?;
    let reach = reach(&request);
    Ok(Call {
        tool,
        reach,
        edits: None,
        make: Box::new(move |engine, watch, _| Ok(Box::new(verb(engine, &request, watch)?))),
    })
}

/// Reads a call that edits nodes or texts.
pub(super) fn edit<Q>(tool: &'static str, given: Value) -> Result<Call, Refused>
where
    Q: for<'de> Deserialize<'de> + serde::Serialize + JsonSchema + Send + Sync + 'static,
    for<'q> EditRequest: From<&'q Q>,
{
    let request = request_of::<Q>(tool, given)?;
    let edits = EditRequest::from(&request);
    let paths = edits.file_paths().map(str::to_string).collect();
    let writes = edits.applies();
    Ok(Call {
        tool,
        reach: CallAccess::Files { paths, writes },
        edits: Some(edits.clone()),
        make: Box::new(move |engine, _, edit_id| {
            Ok(Box::new(engine.edited(tool, &request, &edits, edit_id)?))
        }),
    })
}

fn request_of<Q>(tool: &'static str, given: Value) -> Result<Q, Refused>
where
    Q: for<'de> Deserialize<'de> + JsonSchema + 'static,
{
    read::<Q>(given.clone())
        .map_err(|diagnostic| Box::new(Refusal::of_call(tool, given, diagnostic)))
}
