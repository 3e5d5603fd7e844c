import http from 'node:http';

/**
 * Services whose moods the tests set: `moods.stock = { status: 503, body: {...}, after: 20 }`; without one all is well.
 * A mood with `of` is for requests with this text in the body. `tokens` has those of steps that end later, by agent.
 */
export async function startService() {
  const moods = {};
  const tokens = {};
  const server = http.createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const name = request.url.slice(1);
    tokens[name] = request.headers['steadfast-token'];
    const mood = text.includes(moods[name]?.of ?? '') ? (moods[name] ?? {}) : {};
    if (mood.after) await new Promise(done => setTimeout(done, mood.after));
    response.writeHead(mood.status ?? 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(mood.body ?? { reference: request.headers['idempotency-key'] }));
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: server.address().port, moods, tokens, stop };
}
