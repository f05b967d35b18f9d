/** Somebody who has logged in. */
export interface Customer {
  readonly name: string;
  /** Our own number for them: that of the PID is nobody else's business. */
  readonly member: string;
}

/** What the shop knows about a browser. */
export interface Session {
  /** The value of its cookie. */
  id: string;
  /** The flow that this browser began: never taken from a URL. */
  state?: string;
  offerId?: string;
  user?: Customer;
  isAdult?: boolean;
}
