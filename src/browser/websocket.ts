import { announce, button, create, labelled, textBlock } from './dom.ts';

/** Maximum lines of the record, of which the oldest are removed. */
const MAX_LINES = 200;

/** Opens a WebSocket at the target of a form, sends messages, and shows what arrives. */
export class WebSocketPanel {
  readonly element: HTMLElement;
  readonly #url: () => string;
  readonly #message = create('input', { value: 'hello' });
  readonly #send = create('button', { disabled: '' }, 'Send message');
  readonly #close = button('Close', () => this.#socket?.close(1000), { disabled: '' });
  readonly #lines: string[] = [];
  readonly #record = create('code', {}, 'Messages are shown here.');
  #socket: WebSocket | undefined;

  /** @param url returns what the form describes, with the scheme of HTTP */
  constructor(url: () => string) {
    this.#url = url;
    const form = create(
      'form',
      {},
      labelled('Message', this.#message),
      create(
        'p',
        { class: 'actions' },
        button('Open a WebSocket', () => this.#open()),
        this.#send,
        this.#close,
      ),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#sendMessage();
    });
    this.element = create('div', {}, form, textBlock('Messages of the WebSocket', this.#record));
  }

  #open(): void {
    this.#socket?.close(1000);
    const url = this.#url().replace(/^http/, 'ws');
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    this.#say(`opens ${url}`);
    socket.addEventListener('open', () => {
      this.#say(socket.extensions === '' ? 'open' : `open, with ${socket.extensions}`);
      this.#enable(socket);
    });
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      const text = typeof data === 'string' ? data : `${data.byteLength} bytes`;
      this.#say(`received ${text}`);
    });
    socket.addEventListener('close', ({ code, reason, wasClean }) => {
      // Browsers report 1006 for a connection that ended without Close (RFC 6455 7.1.5).
      this.#say([`closed ${code}`, reason, wasClean ? '' : '(no Close)'].filter(Boolean).join(' '));
      this.#enable(socket);
    });
  }

  #sendMessage(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(this.#message.value);
    this.#say(`sent ${this.#message.value}`);
  }

  /** Enables the buttons as long as the newest WebSocket is open. */
  #enable(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#send.disabled = this.#close.disabled = socket.readyState !== WebSocket.OPEN;
  }

  #say(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    this.#record.textContent = this.#lines.join('\n');
    announce(line);
  }
}
