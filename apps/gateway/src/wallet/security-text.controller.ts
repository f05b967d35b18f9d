import { Controller, Get, Header, Inject } from '@nestjs/common';
import { noSuchRoute } from '../http/errors';
import { WalletApi } from './wallet-api';

/** Injection token of {@link RenderAt}. */
export const SECURITY_TEXT = Symbol('security.txt');

/** Returns the current file for its path; undefined if there is none. */
export type RenderAt = (path: string) => string | undefined;

const [FOLDER, NAME] = ['.well-known', 'security.txt'];

/** Whom to notify of a vulnerability (RFC 9116), if the operator configures it. */
@WalletApi('host')
@Controller(FOLDER)
export class SecurityTextController {
  constructor(@Inject(SECURITY_TEXT) private readonly render: RenderAt) {}

  @Get(NAME)
  @Header('content-type', 'text/plain; charset=utf-8')
  @Header('cache-control', 'public, max-age=3600')
  getSecurityText(): string {
    const text = this.render(`/${FOLDER}/${NAME}`);
    if (text === undefined) throw noSuchRoute();
    return text;
  }
}
