// Submits a task over HTTP, waits until it has ended, and prints what became of it.
// The token, if the node wants one, is in $STEADFAST_TOKEN.
//
//     npx openapi-typescript@7 http://127.0.0.1:7800/openapi.json -o api.d.ts
//     npx tsx@4 trip.mts http://127.0.0.1:7800 my-trip        (from node 22.18 on also: node trip.mts ...)
import type { components, paths } from './api.d.ts';

declare const process: { argv: string[]; env: Record<string, string | undefined>; exit(code: number): never };
type Schemas = components['schemas'];
type Trip = NonNullable<paths['/v1/tasks/{id}']['put']['requestBody']>['content']['application/json'];

const { argv: [, , url, id], env: { STEADFAST_TOKEN: token } } = process;
const path = `${url}/v1/tasks/${encodeURIComponent(id)}`;
const headers: HeadersInit = token ? { Authorization: `Bearer ${token}` } : {};
const end = (why: string): never => (console.error(why), process.exit(1));

/** The answer. Where the node is busy or the answer is lost, it asks again: the id of the task makes that safe. */
async function ask<Answer>(method: string, target: string, body: Trip | null = null): Promise<Answer> {
  const [signal, json] = [AbortSignal.timeout(75_000), body && JSON.stringify(body)];
  const answer = await fetch(target, { method, headers, signal, body: json }).catch((e: Error) => {
    const why = (e.cause ?? e) as Error & { code?: string };
    if (/CERT|UNABLE|TLS|SSL|HPE/.test(why.code ?? '')) end(`${url}: ${why}`); // another try would not help
    console.error(`${why}; trying again`);
  });
  const told: unknown = await answer?.json().catch(() => null);
  if (answer?.ok && told) return told as Answer;
  const why = (told as Schemas['problem'] | null)?.detail ?? `${target}: ${answer?.status}`;
  if (answer && !answer.ok && ![408, 429, 503, 504].includes(answer.status)) end(why);
  if (answer) console.error(`${why}; trying again`);
  await new Promise(again => setTimeout(again, Number(answer?.headers.get('Retry-After') ?? 1) * 1000));
  return ask(method, target, body);
}

const trip: Trip = { workflow: 'trip', payload: { guest: 'Ada', nights: 2, taxi: false } };
console.log((await ask<Schemas['submit_answer']>('PUT', path, trip)).created ? 'made' : 'it was there');
const hasEnded = ({ process_state: state }: Schemas['task_state_answer']) => /processed|undone|error/.test(state);
while (!hasEnded(await ask('GET', `${path}/state?wait=60s`)));
const { task } = await ask<Schemas['task_show_answer']>('GET', path);
console.log(task.process_state, ...task.steps.map(s => ` ${s.name} ${s.state}`));
if (task.process_state !== 'processed') end(`because: ${task.cause}`);
