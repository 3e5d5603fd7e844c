// The types of what a node answers, made from its OpenAPI document, into api.d.ts. STEADFAST_BINARY is the program.
import { renameSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { makeNode } from './node.mjs';

const node = await makeNode(9); // no service: nothing is called
try {
  await node.start();
  const document = await node.get('/openapi.json');
  const types = await openapiTS(document, { rootTypes: true, rootTypesNoSchemaPrefix: true });
  writeFileSync(`api.${process.pid}`, astToString(types));
  renameSync(`api.${process.pid}`, 'api.d.ts'); // others may read it
} finally {
  await node.remove();
}
