//! The requests that the page makes.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use askama::Template;
use axum::Router;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Json, Path, Query, Request, State};
use axum::http::StatusCode;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::middleware::{Next, from_fn};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;

use treegraft::engine::Engine;
use treegraft::engine::request::SelectorArgument;
use treegraft::engine::response::{EditListed, RefusedCall};
use treegraft::engine::review::{EditReviewed, FilesMark, FormerTarget};
use treegraft_loopback::{Error, Listening, require_own_origin, require_token};

use crate::decisions::{self, Choice, Decided};
use crate::diff::{FileDiff, Gap, visible};
use crate::listing::{Listing, changed_edits};
use crate::pages::{Diffs, Edit, List, Nodes, Page, Rows, file_url};

/// The time between two looks for changes.
const PAUSE: Duration = Duration::from_millis(400);
/// How long edits are compared with files that changed, at each look.
const TIME_TO_COMPARE: Duration = Duration::from_millis(100);
/// The number of shown edits whose files are watched.
const EDITS_WATCHED: usize = 16;
/// The maximum size of a request, in bytes: thousands of ids and the longest reason.
const REQUEST_BYTES: usize = 256 << 10;

/// Only the files of this server; no inline script or style, no frame, no form.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What the requests share.
struct Review {
    engine: Arc<Engine>,
    listing: Mutex<Listing>,
    /// The edit that was last requested, for its further rows.
    open: Mutex<Option<Arc<Open>>>,
    /// The edits that were requested last, the latest first.
    watched: Mutex<VecDeque<Watched>>,
    /// The edits that were staged for another node, and their former calls.
    retargeted: Mutex<HashMap<String, FormerTarget>>,
    stop: CancellationToken,
}

/// An edit with the rows of its diffs.
struct Open {
    reviewed: EditReviewed,
    files: Vec<FileDiff>,
    /// The files of the diff that would be written now, if it is another one.
    now: Vec<FileDiff>,
}

/// An edit that a page shows, with the state of its files at that time.
struct Watched {
    edit: EditListed,
    files: FilesMark,
}

type Shared = State<Arc<Review>>;
type Refused = Box<RefusedCall>;

/// Returns the link to the page. The token is in the fragment, which a browser sends to no server.
pub fn link(address: SocketAddr, token: &str) -> String {
    format!("http://{address}/#{token}")
}

/// Serves the page to the holder of `token` until the process is asked to stop (SIGTERM, ctrl-c).
///
/// # Errors
/// The system fails.
pub async fn serve(listening: Listening, engine: Arc<Engine>, token: &str) -> Result<(), Error> {
    let stop = CancellationToken::new();
    let router = router(engine, listening.address(), token, stop.clone());
    listening.serve(router, stop).await
}

/// Returns the routes of the server at `address`. `stop` ends the streams.
pub fn router(
    engine: Arc<Engine>,
    address: SocketAddr,
    token: &str,
    stop: CancellationToken,
) -> Router {
    let review = Arc::new(Review {
        engine,
        listing: Mutex::default(),
        open: Mutex::default(),
        watched: Mutex::default(),
        retargeted: Mutex::default(),
        stop,
    });
    let data = Router::new()
        .route("/api/edits", get(list))
        .route("/api/edits/{edit_id}", get(edit))
        .route("/api/edits/{edit_id}/files/{index}", get(rows))
        .route("/api/edits/{edit_id}/now/{index}", get(rows_now))
        .route("/api/edits/{edit_id}/nodes/{number}", get(nodes))
        .route("/api/changes", get(changes))
        .route("/api/apply", post(apply))
        .route("/api/discard", post(discard))
        .route("/api/undo", post(undo))
        .route("/api/retarget", post(retarget))
        .route("/api/restore", post(restore))
        .layer(DefaultBodyLimit::max(REQUEST_BYTES))
        .with_state(review);
    let pages = Router::new()
        .route("/", get(async || html(&Page)))
        .route("/review.js", get(async || file("text/javascript", JS)))
        .route("/review.css", get(async || file("text/css", CSS)))
        .route("/icon.svg", get(async || file("image/svg+xml", ICON)));
    let router = pages.merge(require_token(data, token));
    require_own_origin(router, address).layer(from_fn(guarded))
}

const JS: &str = include_str!("../assets/review.js");
const CSS: &str = include_str!("../assets/review.css");
const ICON: &str = include_str!("../assets/icon.svg");

/// Adds the headers that restrict what a browser does with an answer.
async fn guarded(request: Request, next: Next) -> Response {
    const HEADERS: [(HeaderName, &str); 7] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

fn file(media_type: &'static str, text: &'static str) -> Response {
    let media_type = format!("{media_type}; charset=utf-8");
    ([(CONTENT_TYPE, media_type)], text).into_response()
}

fn html(template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => ([(CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// Runs work on files without blocking other requests.
async fn blocking(
    review: Arc<Review>,
    work: impl FnOnce(&Review) -> Response + Send + 'static,
) -> Response {
    let done = tokio::task::spawn_blocking(move || work(&review)).await;
    done.unwrap_or_else(|error| {
        (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response()
    })
}

fn not_found(refused: &RefusedCall) -> Response {
    (
        StatusCode::NOT_FOUND,
        visible(refused.message()).into_owned(),
    )
        .into_response()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Review {
    /// Returns the list after a refresh.
    fn listing(&self) -> Result<MutexGuard<'_, Listing>, Refused> {
        let mut listing = lock(&self.listing);
        listing.refresh(&self.engine)?;
        Ok(listing)
    }

    /// Reads an edit. If it `asks`, the language server says what a stale edit of it changes now.
    fn opened(&self, edit_id: &str, asks: bool) -> Result<Arc<Open>, Refused> {
        // Before the files are read, so that a change in between is noticed.
        let listed = self.listing()?.get(edit_id).cloned();
        let before = listed.map(|edit| self.engine.files_mark(&edit));
        let reviewed = match asks {
            true => self.engine.review_edit_asking(edit_id)?,
            false => self.engine.review_edit(edit_id)?,
        };
        let files = before.unwrap_or_else(|| self.engine.files_mark(&reviewed.edit));
        self.watch(reviewed.edit.clone(), files);
        lock(&self.listing).learn(&reviewed);
        let files = FileDiff::all(&reviewed);
        let now = FileDiff::now(&reviewed);
        let opened = Arc::new(Open {
            reviewed,
            files,
            now,
        });
        *lock(&self.open) = Some(opened.clone());
        Ok(opened)
    }

    fn watch(&self, edit: EditListed, files: FilesMark) {
        let mut watched = lock(&self.watched);
        watched.retain(|one| one.edit.edit_id != edit.edit_id);
        watched.push_front(Watched { edit, files });
        watched.truncate(EDITS_WATCHED);
    }

    /// Returns the edits whose files changed since a page has shown them, with the state of their files.
    fn with_changed_files(&self) -> BTreeMap<String, FilesMark> {
        let watched = lock(&self.watched);
        let changed = watched.iter().filter_map(|one| {
            let now = self.engine.files_mark(&one.edit);
            (now != one.files).then(|| (one.edit.edit_id.clone(), now))
        });
        changed.collect()
    }

    /// Returns the edit that was last requested, or reads another one.
    fn open(&self, edit_id: &str) -> Result<Arc<Open>, Refused> {
        let open = lock(&self.open).clone();
        match open.filter(|open| open.reviewed.edit.edit_id == edit_id) {
            Some(open) => Ok(open),
            None => self.opened(edit_id, false),
        }
    }
}

async fn list(State(review): Shared) -> Response {
    blocking(review, |review| match review.listing() {
        Ok(listing) => html(&List::new(&listing, review.engine.roots())),
        Err(refused) => not_found(&refused),
    })
    .await
}

/// How an edit is requested.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asking {
    #[serde(default)]
    ask: bool,
}

async fn edit(
    State(review): Shared,
    Path(edit_id): Path<String>,
    query: Result<Query<Asking>, QueryRejection>,
) -> Response {
    let Asking { ask } = match query {
        Ok(Query(asking)) => asking,
        Err(rejection) => return rejection.into_response(),
    };
    blocking(review, move |review| match review.opened(&edit_id, ask) {
        Ok(open) => html(&Edit::new(&open.reviewed, &open.files, &open.now)),
        Err(refused) => not_found(&refused),
    })
    .await
}

/// Which rows of a file are wanted: those from an index, or unchanged lines that were left out.
enum Wanted {
    From {
        from: usize,
    },
    Gap {
        old: usize,
        new: usize,
        count: usize,
    },
}

type RowsQuery = Result<Query<BTreeMap<String, usize>>, QueryRejection>;

async fn rows(review: Shared, file: Path<(String, usize)>, query: RowsQuery) -> Response {
    rows_of(Diffs::AsShown, review, file, query).await
}

/// Does the same for the diff that would be written now.
async fn rows_now(review: Shared, file: Path<(String, usize)>, query: RowsQuery) -> Response {
    rows_of(Diffs::Now, review, file, query).await
}

async fn rows_of(
    diffs: Diffs,
    State(review): Shared,
    Path((edit_id, index)): Path<(String, usize)>,
    query: RowsQuery,
) -> Response {
    let query = match query {
        Ok(Query(query)) => query,
        Err(rejection) => return rejection.into_response(),
    };
    let number = |name: &str| query.get(name).copied();
    let wanted = match (
        number("from"),
        number("old"),
        number("new"),
        number("count"),
    ) {
        (Some(from), ..) => Wanted::From { from },
        (_, Some(old), Some(new), Some(count)) => Wanted::Gap { old, new, count },
        _ => {
            return (
                StatusCode::BAD_REQUEST,
                "from, or old, new and count are required",
            )
                .into_response();
        }
    };
    blocking(review, move |review| {
        let open = match review.open(&edit_id) {
            Ok(open) => open,
            Err(refused) => return not_found(&refused),
        };
        let files = match diffs {
            Diffs::AsShown => &open.files,
            Diffs::Now => &open.now,
        };
        let Some(file) = files.get(index) else {
            return (StatusCode::NOT_FOUND, "the edit has no such file").into_response();
        };
        let url = file_url(&open.reviewed.edit.edit_id, diffs, index);
        html(&match wanted {
            Wanted::From { from } => Rows::from_file(file, &url, from),
            Wanted::Gap { old, new, count } => {
                let is_known = true;
                Rows::unchanged(
                    file,
                    &url,
                    Gap {
                        old,
                        new,
                        count,
                        is_known,
                    },
                )
            }
        })
    })
    .await
}

/// A position in the text before an edit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Position {
    line: usize,
    column: usize,
}

/// Lists the nodes around a position of a file of an edit.
async fn nodes(
    State(review): Shared,
    Path((edit_id, number)): Path<(String, usize)>,
    query: Result<Query<Position>, QueryRejection>,
) -> Response {
    let Position { line, column } = match query {
        Ok(Query(position)) => position,
        Err(rejection) => return rejection.into_response(),
    };
    blocking(review, move |review| {
        match review.engine.nodes_around(&edit_id, number, line, column) {
            Ok(around) => html(&Nodes::new(&around)),
            Err(refused) => not_found(&refused),
        }
    })
    .await
}

/// Streams which edits change, and which shown ones have files that change. The first event has none: it confirms that the
/// server is watching. So has one that is about the marks of the list alone.
async fn changes(State(review): Shared) -> Response {
    let (events, receiver) = mpsc::channel::<Result<Event, axum::Error>>(1);
    tokio::spawn(async move {
        let mut known = None;
        let mut known_files = BTreeMap::new();
        loop {
            let looking = review.clone();
            let looked = tokio::task::spawn_blocking(move || {
                let mut listing = looking.listing()?;
                listing.compare(&looking.engine, TIME_TO_COMPARE);
                let marks = listing.marks();
                drop(listing);
                Ok::<_, Refused>((marks, looking.with_changed_files()))
            });
            // A directory that cannot be read now may be readable later.
            if let Ok(Ok((marks, files))) = looked.await {
                let event = match &known {
                    None => Some(Vec::new()),
                    Some(known) => {
                        let mut ids = changed_edits(known, &marks);
                        let other = files
                            .iter()
                            .filter(|(edit_id, now)| known_files.get(*edit_id) != Some(*now));
                        ids.extend(other.map(|(edit_id, _)| edit_id.clone()));
                        ids.sort();
                        ids.dedup();
                        (!ids.is_empty() || *known != marks).then_some(ids)
                    }
                };
                if let Some(ids) = event {
                    let data = json!({"edit_ids": ids});
                    let event = Event::default().event("changed").json_data(data);
                    if events.send(event).await.is_err() {
                        return;
                    }
                }
                known = Some(marks);
                known_files = files;
            }
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = review.stop.cancelled() => return,
                () = events.closed() => return,
            }
        }
    });
    Sse::new(ReceiverStream::new(receiver))
        .keep_alive(KeepAlive::default())
        .into_response()
}

/// The edits that a person accepts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Accepted {
    edits: Vec<AcceptedEdit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptedEdit {
    edit_id: String,
    #[serde(default)]
    shown: Option<String>,
    #[serde(default)]
    leave_out: Vec<LeftOut>,
}

/// A file that is left out, or a part of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOut {
    file: usize,
    #[serde(default)]
    part: Option<usize>,
}

/// The edits that a person discards.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Discarded {
    edit_ids: Vec<String>,
    #[serde(default)]
    reason: Option<String>,
}

/// The edits that a person undoes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Undone {
    edit_ids: Vec<String>,
}

/// The node that a person selects for an edit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Retargeted {
    edit_id: String,
    #[serde(default)]
    edit_index: Option<usize>,
    selector: SelectorArgument,
}

type Given<T> = Result<Json<T>, JsonRejection>;

async fn apply(State(review): Shared, given: Given<Accepted>) -> Response {
    decide(review, given, |review, listing, accepted| {
        let choices = accepted.edits.into_iter().map(|one| Choice {
            edit_id: one.edit_id,
            shown: one.shown,
            leave_out: one
                .leave_out
                .iter()
                .map(|left| (left.file, left.part))
                .collect(),
        });
        let choices: Vec<Choice> = choices.collect();
        decisions::accept(&review.engine, listing, &choices)
    })
    .await
}

async fn discard(State(review): Shared, given: Given<Discarded>) -> Response {
    decide(review, given, |review, listing, discarded| {
        let reason = discarded.reason.as_deref();
        decisions::discard(&review.engine, listing, &discarded.edit_ids, reason)
    })
    .await
}

async fn undo(State(review): Shared, given: Given<Undone>) -> Response {
    decide(review, given, |review, listing, undone| {
        decisions::undo(&review.engine, listing, &undone.edit_ids)
    })
    .await
}

async fn retarget(State(review): Shared, given: Given<Retargeted>) -> Response {
    decide(review, given, |review, listing, given| {
        let Retargeted {
            edit_id,
            edit_index,
            selector,
        } = given;
        let former = review.engine.former_target(&edit_id);
        let decided =
            decisions::retarget(&review.engine, listing, &edit_id, edit_index, &selector.0);
        if let (Some(former), Some(new)) = (former, decided.left_out.first()) {
            lock(&review.retargeted).insert(new.clone(), former);
        }
        decided
    })
    .await
}

/// An edit that is staged for its former node again.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Restored {
    edit_id: String,
}

async fn restore(State(review): Shared, given: Given<Restored>) -> Response {
    decide(review, given, |review, listing, Restored { edit_id }| {
        let mut retargeted = lock(&review.retargeted);
        let Some(former) = retargeted.get(&edit_id).cloned() else {
            return Decided {
                message: "The edit was not staged for another node here".to_string(),
                ..Decided::default()
            };
        };
        let decided = decisions::restore(&review.engine, listing, &edit_id, &former);
        if !decided.left_out.is_empty() {
            retargeted.remove(&edit_id);
        }
        decided
    })
    .await
}

/// Carries out a decision about the listed edits.
async fn decide<T: Send + 'static>(
    review: Arc<Review>,
    given: Given<T>,
    call: impl FnOnce(&Review, &Listing, T) -> Decided + Send + 'static,
) -> Response {
    let Json(given) = match given {
        Ok(given) => given,
        Err(rejection) => return rejection.into_response(),
    };
    blocking(review, move |review| match review.listing() {
        Ok(listing) => Json(call(review, &listing, given)).into_response(),
        Err(refused) => not_found(&refused),
    })
    .await
}
