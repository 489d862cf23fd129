//! What programs of clients in Rust have in common: they send the requests on standard input, and print a line for
//! each. test/foreign/faults/_program.ts has the format of both.
use std::io::{stdin, BufRead};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

pub const LIMIT: Duration = Duration::from_secs(5);

/// Before a second request; the origin does in it what it does with the connection.
const PAUSE: Duration = Duration::from_millis(300);

/// Clients that send at the same time.
const AT_ONCE: usize = 8;

pub struct Sent {
    pub name: String,
    pub method: String,
    pub url: String,
    pub length: usize,
    /// A name and a value.
    pub field: Option<(String, String)>,
}

#[derive(Default)]
pub struct Report {
    pub status: String,
    pub received: usize,
    pub error: String,
    pub seen: Vec<String>,
}

/// A client with connections of its own: sends a request, and reports what comes.
pub type Client = Box<dyn FnMut(&Sent) -> Report>;

fn transfer(client: &mut Client, sent: &Sent) {
    let report = client(sent);
    let error = report.error.replace(['\n', '\r', '\t'], " ");
    let seen = report.seen.join("; ");
    println!("{}\t{}\t{}\t{error}\t{seen}", sent.name, report.status, report.received);
}

fn transfers(client: &mut Client, base: &str, line: &str) {
    let mut cells = line.split('\t').map(str::to_owned);
    let mut cell = || cells.next().unwrap_or_default();
    let (name, method, path, length, field, next) = (cell(), cell(), cell(), cell(), cell(), cell());
    let sent = Sent {
        name,
        method,
        url: format!("{base}{path}"),
        length: length.parse().unwrap(),
        field: field.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned())),
    };
    transfer(client, &sent);
    if let Some((method, path)) = next.split_once(' ') {
        thread::sleep(PAUSE);
        let next = Sent {
            name: format!("{}+", sent.name),
            method: method.to_owned(),
            url: format!("{base}{path}"),
            length: if method == "POST" { 10 } else { 0 },
            field: None,
        };
        transfer(client, &next);
    }
}

/// Sends all requests, each by a client of its own.
pub fn send_all(open: impl Fn(bool) -> Client + Sync) {
    rustls::crypto::ring::default_provider().install_default().unwrap();
    let arguments: Vec<String> = std::env::args().collect();
    let (base, is_http2) = (&arguments[1], arguments[2] == "2");
    let lines = Mutex::new(stdin().lock().lines().map(Result::unwrap).collect::<Vec<_>>().into_iter());
    thread::scope(|threads| {
        for _ in 0..AT_ONCE {
            threads.spawn(|| loop {
                let Some(line) = lines.lock().unwrap().next() else { return };
                transfers(&mut open(is_http2), base, &line);
            });
        }
    });
}
