# Varnish 7 with the xkey module (Debian: varnish, varnish-modules) as a cache in front of the gateway.
# CDN_PURGE_URL is its own address with the path /cdn-purge.
vcl 4.1;

import xkey;

backend gateway {
  .host = "127.0.0.1";
  .port = "4000";
}

# The senders of purges: every replica.
acl gateways {
  "127.0.0.1";
}

sub vcl_recv {
  if (req.url == "/cdn-purge") {
    if (req.method != "POST" || client.ip !~ gateways) {
      return (synth(403));
    }
    set req.http.purged = xkey.purge(req.http.surrogate-key);
    return (synth(200, req.http.purged + " answers purged"));
  }
  # Pass WebSocket connections through.
  if (req.http.upgrade) {
    return (pipe);
  }
}

sub vcl_pipe {
  set bereq.http.upgrade = req.http.upgrade;
  set bereq.http.connection = req.http.connection;
}

# Varnish caches what Cache-Control allows shared caches, and varies by the gateway's Vary.
sub vcl_backend_response {
  set beresp.http.xkey = beresp.http.surrogate-key;
}

sub vcl_deliver {
  unset resp.http.xkey;
  unset resp.http.surrogate-key;
  unset resp.http.cache-tag;
}
