import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

/** The OpenAPI description of the management listener. */
export function describeManagementApi(app: INestApplication, version: string): OpenAPIObject {
  const description = new DocumentBuilder()
    .setTitle('Vestibule management API')
    .setDescription('What a backend asks wallets for and gives to them. Internal: never expose this listener.')
    .setVersion(version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addApiKey({ type: 'apiKey', name: 'X-API-KEY', in: 'header' }, 'apiKey')
    .build();
  return SwaggerModule.createDocument(app, description);
}

/** Serves the description at `/openapi.json`. */
export function serveManagementApi(app: INestApplication, version: string): void {
  SwaggerModule.setup('openapi', app, () => describeManagementApi(app, version), {
    ui: false,
    raw: ['json'],
    jsonDocumentUrl: 'openapi.json',
  });
}
