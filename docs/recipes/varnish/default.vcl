vcl 4.1;

import std;

backend wirebin {
  .host = "127.0.0.1";
  .port = "8080";
  # As long as --max-duration lets a response take; the default is 60 s.
  .first_byte_timeout = 5m;
  .between_bytes_timeout = 5m;
  .probe = {
    .url = "/readyz";
    .interval = 2s;
    .timeout = 1s;
    .threshold = 1;
    .window = 1;
  }
}

sub vcl_recv {
  # Varnish appends the client to X-Forwarded-For itself; hitch says by PROXY whether it has used TLS.
  if (std.port(local.ip) == 8444) {
    set req.http.X-Forwarded-Proto = "https";
  } else {
    set req.http.X-Forwarded-Proto = "http";
  }
}

sub vcl_backend_response {
  # Caches what says so, such as /cache/60; the default is everything, for 2 minutes.
  if (!beresp.http.Cache-Control) {
    set beresp.uncacheable = true;
  }
}
