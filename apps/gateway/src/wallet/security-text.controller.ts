import { Controller, Get, Header, Inject } from '@nestjs/common';
import { noSuchRoute } from '../http/errors';

/** Injection token of a function that gives the file as it is now, or undefined for none. */
export const SECURITY_TEXT = Symbol('security.txt');

/** Whom to tell of a hole (RFC 9116), where the operator says it. */
@Controller('.well-known')
export class SecurityTextController {
  constructor(@Inject(SECURITY_TEXT) private readonly render: () => string | undefined) {}

  @Get('security.txt')
  @Header('content-type', 'text/plain; charset=utf-8')
  @Header('cache-control', 'public, max-age=3600')
  getSecurityText(): string {
    const text = this.render();
    if (text === undefined) throw noSuchRoute();
    return text;
  }
}
