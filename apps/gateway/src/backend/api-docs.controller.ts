import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Controller, Get, Header, Inject, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { noSuchRoute } from '../http/errors';
import { OpenJsonApi } from '../http/json-api';

/** Injection token of the {@link DescribedApi}s. */
export const DESCRIBED_APIS = Symbol('described APIs');

/** An API description as a reader chooses it. */
export interface DescribedApi {
  readonly name: string;
  /** Relative to the page. */
  readonly url: string;
}

const PACKAGE_FOLDER = path.dirname(createRequire(__filename).resolve('swagger-ui-dist/package.json'));

/** The files of the package that the page needs; nothing else of it is served. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui-standalone-preset.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

/** Digest of the only style element that the package writes: that of its logo. */
const LOGO_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

/** Everything from this listener, no inline script, and no page may frame it. */
const SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${LOGO_STYLE}`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Vestibule API</title>
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/swagger-ui-standalone-preset.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/**
 * Keys that a reader types are not kept, no other server is asked, and the query cannot name another description. Calls go to
 * the address of the page, whatever example the description has: the browser lets them go nowhere else. What this listener
 * does not serve cannot be tried out.
 */
const startScript = (apis: readonly DescribedApi[]) => `'use strict';
const here = { url: new URL('.', location.href).href.replace(/\\/$/, ''), description: 'This listener' };
let isServedHere = false;
const callsThisListener = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (description) => {
          isServedHere = (description.servers || []).some(({ variables }) => variables && variables.management);
          return update(isServedHere ? { ...description, servers: [here] } : description);
        },
      },
      wrapSelectors: { allowTryItOutFor: () => () => isServedHere },
    },
  },
});
SwaggerUIBundle({
  urls: ${JSON.stringify(apis)},
  dom_id: '#swagger-ui',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [callsThisListener],
  layout: 'StandaloneLayout',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  queryConfigEnabled: false,
});
`;

/** The descriptions of the APIs for readers, with Swagger UI from its package: a browser fetches nothing from elsewhere. */
@ApiExcludeController()
@OpenJsonApi()
@Controller('docs')
export class ApiDocsController {
  constructor(@Inject(DESCRIBED_APIS) private readonly apis: readonly DescribedApi[]) {}

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', SECURITY_POLICY)
  @Header('referrer-policy', 'no-referrer')
  @Header('x-content-type-options', 'nosniff')
  page(): string {
    return PAGE;
  }

  @Get('start.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Header('x-content-type-options', 'nosniff')
  start(): string {
    return startScript(this.apis);
  }

  @Get(':file')
  @Header('cache-control', 'private, max-age=3600')
  @Header('x-content-type-options', 'nosniff')
  file(@Param('file') name: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    const type = MEDIA_TYPES.get(name);
    if (type === undefined) throw noSuchRoute();
    void reply.header('content-type', type);
    return readFile(path.join(PACKAGE_FOLDER, name));
  }
}
