import { ServerResponse, STATUS_CODES } from 'node:http';

declare module 'node:http' {
  interface ServerResponse {
    /** Not in Node's types: the header section as sent; `headersSent` is whether there is one. */
    _header: string | null;
  }
}

/** Names in use everywhere, which need no look at each of their characters. */
const KNOWN_NAMES = new Set(['Content-Type', 'Content-Length', 'X-Request-Id', 'X-Response-Time']);
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
/** What no field value may have (RFC 9110 5.5). */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;
/** Octets of content up to which copying it behind the header section beats a gathering write. */
const COPIED = 16 * 1024;

/**
 * Node's response, with shorter ways. Node hands even two octets of content to the system as a
 * gathering write of header section, content and an empty end, and looks at each field several
 * times. That is the greatest single cost of a small answer; see bench/NOTES.md.
 */
export class Http1Response extends ServerResponse {
  /**
   * Sends a whole HTTP/1.1 answer, on a connection that stays open, as one write.
   *
   * @param content a string is ASCII
   * @returns false where that cannot be done, and nothing has been
   * @throws TypeError where a field has what RFC 9110 5.5 and 5.6.2 forbid
   */
  sendWhole(status: number, fields: readonly string[], content: string | Uint8Array): boolean {
    const { socket } = this;
    // Behind an answer that is not through yet, Node has not given it the socket.
    if (!socket || content.length > COPIED) return false;
    const section = this.begin(status, fields);
    // Node takes it for ended.
    this.finished = true;
    const sent = (error?: Error | null): void => {
      if (!error) this.emit('finish');
    };
    if (typeof content === 'string') socket.write(section + content, 'latin1', sent);
    else socket.write(joined(section, content), sent);
    return true;
  }

  /**
   * Sets the header section, which Node sends with the first octets of content. For a HTTP/1.1
   * answer that has a Content-Length, on a connection that stays open.
   *
   * @returns the section
   * @throws TypeError as sendWhole does
   */
  begin(status: number, fields: readonly string[]): string {
    const section = headerSection(status, fields);
    // oxlint-disable-next-line no-underscore-dangle -- the name is Node's
    this._header = section;
    return section;
  }
}

function joined(section: string, content: Uint8Array): Buffer {
  const message = Buffer.allocUnsafe(section.length + content.length);
  message.write(section, 0, 'latin1');
  message.set(content, section.length);
  return message;
}

/** Status line and fields (RFC 9112 4, 5), with the Date that an origin server owes (RFC 9110 6.6.1) unless they have one. */
function headerSection(status: number, fields: readonly string[]): string {
  let section = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  let dated = false;
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? '';
    const value = fields[at + 1] ?? '';
    if ((!KNOWN_NAMES.has(name) && !TOKEN.test(name)) || FORBIDDEN.test(value)) {
      throw new TypeError(`the field ${JSON.stringify(name)} cannot be sent`);
    }
    if (name.length === 4 && name.toLowerCase() === 'date') dated = true;
    section += `${name}: ${value}\r\n`;
  }
  return dated ? `${section}\r\n` : `${section}Date: ${date()}\r\n\r\n`;
}

let second = 0;
let text = '';

/** Now, as IMF-fixdate (RFC 9110 5.6.7); made anew once a second. */
function date(): string {
  const now = Date.now();
  if (now < second || now >= second + 1000) {
    second = now - (now % 1000);
    text = new Date(second).toUTCString();
  }
  return text;
}
