import { encodeQr } from './qr';
import { textsOf } from './texts';
import { isWalletLink } from './wallet-link';

/** What the status address of your backend returns; anything but `pending` ends the element. */
export interface RequestStatus {
  readonly status: string;
}

/** Asks a wallet by another way, such as the Digital Credentials API; true if your backend now has the answer. */
export type AskBrowser = (signal: AbortSignal) => Promise<boolean>;

const SVG = 'http://www.w3.org/2000/svg';
const BORDER = 4;
const INTERVAL_MILLISECONDS = 1500;
const LONGEST_PAUSE_MILLISECONDS = 15_000;

/** Names of CSS are spelled as they are, and not as our sentences. */
const INK = 'color:inherit';
const MIDDLE = 'justify-items:center;text-align:center';
const ON_ACCENT = 'color:var(--vestibule-on-accent)';

const STYLE = `
:host { display: block; font: inherit; ${INK}; --vestibule-accent: #4338ca; --vestibule-on-accent: #fff; }
:host([hidden]) { display: none; }
.frame { display: grid; gap: 14px; ${MIDDLE}; }
svg { width: min(260px, 100%); height: auto; border-radius: 12px; background: #fff; }
.button { display: inline-block; padding: 12px 20px; border: 0; border-radius: 10px; font: inherit; font-weight: 600; cursor: pointer;
  text-decoration: none; ${ON_ACCENT}; background: var(--vestibule-accent); }
.button:focus-visible, summary:focus-visible { outline: 3px solid var(--vestibule-accent); outline-offset: 3px; }
summary { cursor: pointer; padding: 6px; }
p { margin: 0; }
`;

const isPhone = (): boolean => /Android|iPhone|iPad|iPod/.test(navigator.userAgent);

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });

function make<Name extends keyof HTMLElementTagNameMap>(name: Name, text = '', className = '') {
  const element = document.createElement(name);
  element.textContent = text;
  if (className !== '') element.className = className;
  return element;
}

/** Dark on white with a quiet zone, whatever the page looks like. */
function drawQr(text: string, label: string): SVGSVGElement {
  const modules = encodeQr(text);
  const size = modules.length + 2 * BORDER;
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  const path = document.createElementNS(SVG, 'path');
  const dark = modules.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + BORDER} ${y + BORDER}h1v1h-1z`] : [])),
  );
  path.setAttribute('d', dark.join(''));
  path.setAttribute('fill', '#111827');
  svg.append(path);
  return svg;
}

/**
 * `<vestibule-request>`: shows a request or an offer to a wallet, and waits for what your backend says.
 *
 * Attributes: `cross-device-uri` (the QR code), `same-device-uri` (the link; on phones the first thing), `status-url` (an
 * address of your backend that returns {@link RequestStatus} for this browser's session), `interval` in milliseconds, `lang`.
 * Events: `vestibule-status` for each answer, `vestibule-end` once, with the whole answer of your backend as `detail`.
 */
export class VestibuleRequest extends HTMLElement {
  static readonly observedAttributes = ['cross-device-uri', 'same-device-uri', 'status-url', 'lang'];
  #askBrowser: AskBrowser | undefined;
  #running: AbortController | undefined;
  readonly #root = this.attachShadow({ mode: 'open' });

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.#root.adoptedStyleSheets = [sheet];
  }

  /** Where another way to a wallet comes in; a button for it appears as soon as this is set. */
  set askBrowser(ask: AskBrowser | undefined) {
    this.#askBrowser = ask;
    if (this.isConnected) this.#restart();
  }

  get askBrowser(): AskBrowser | undefined {
    return this.#askBrowser;
  }

  connectedCallback(): void {
    this.#restart();
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (this.isConnected && before !== after) this.#restart();
  }

  disconnectedCallback(): void {
    this.#running?.abort();
  }

  #restart(): void {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.#render(running.signal);
    const url = this.getAttribute('status-url');
    if (url !== null) void this.#follow(url, running.signal);
  }

  #qr(label: string): Node[] {
    const uri = this.getAttribute('cross-device-uri');
    return uri === null || uri === '' ? [] : [make('p', label), drawQr(uri, label)];
  }

  #link(label: string): Node[] {
    const uri = this.getAttribute('same-device-uri');
    if (uri === null || !isWalletLink(uri)) return [];
    const link = make('a', label, 'button');
    link.href = uri;
    return [link];
  }

  #browserButton(label: string, signal: AbortSignal): Node[] {
    const ask = this.#askBrowser;
    if (!ask) return [];
    const button = make('button', label, 'button');
    button.type = 'button';
    const report = () => this.dispatchEvent(new CustomEvent('vestibule-browser-failed'));
    button.addEventListener('click', () => void ask(signal).then((isAnswered) => isAnswered || report(), report));
    return [button];
  }

  #render(signal: AbortSignal): void {
    const texts = textsOf(this.lang || document.documentElement.lang);
    const [qr, link] = [this.#qr(texts.scan), this.#link(texts.open)];
    const frame = make('div', '', 'frame');
    frame.append(...this.#browserButton(texts.browserWallet, signal));
    if (isPhone() && link.length > 0) {
      const details = make('details');
      details.append(make('summary', texts.otherDevice), ...qr);
      frame.append(...link, ...(qr.length > 0 ? [details] : []));
    } else {
      frame.append(...qr, ...link);
    }
    const status = make('p', this.hasAttribute('status-url') ? texts.waiting : '');
    status.setAttribute('role', 'status');
    frame.append(status);
    this.#root.replaceChildren(frame);
  }

  #finish(answer: RequestStatus): void {
    const texts = textsOf(this.lang || document.documentElement.lang);
    const status = make('p', texts.over);
    status.setAttribute('role', 'status');
    this.#root.replaceChildren(status);
    this.dispatchEvent(new CustomEvent('vestibule-end', { detail: answer, bubbles: true }));
  }

  /** Asks your backend until it says something else than `pending`; less often while it cannot be reached. */
  async #follow(url: string, signal: AbortSignal): Promise<void> {
    const usual = Number(this.getAttribute('interval') ?? INTERVAL_MILLISECONDS) || INTERVAL_MILLISECONDS;
    for (let wait = usual; !signal.aborted;) {
      const answer = await this.#ask(url, signal);
      if (signal.aborted) return;
      wait = answer === undefined ? Math.min(wait * 2, LONGEST_PAUSE_MILLISECONDS) : usual;
      if (answer !== undefined) {
        this.dispatchEvent(new CustomEvent('vestibule-status', { detail: answer, bubbles: true }));
        if (answer.status !== 'pending') return this.#finish(answer);
      }
      await pause(wait, signal);
    }
  }

  async #ask(url: string, signal: AbortSignal): Promise<RequestStatus | undefined> {
    try {
      const response = await fetch(url, { headers: { accept: 'application/json' }, cache: 'no-store', signal });
      const answer = (await response.json()) as RequestStatus;
      return response.ok && typeof answer.status === 'string' ? answer : undefined;
    } catch {
      // No network, or a page of a proxy: asked again later.
      return undefined;
    }
  }
}

/** Makes the element known to the browser, once. */
export function defineVestibuleRequest(name = 'vestibule-request'): void {
  if (!customElements.get(name)) customElements.define(name, VestibuleRequest);
}
