export { encodeQr, type Modules } from './qr';
export { defineVestibuleRequest, VestibuleRequest, type AskBrowser, type RequestStatus } from './vestibule-request';
