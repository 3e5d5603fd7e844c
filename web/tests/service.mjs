import http from 'node:http';

/** Services whose moods the tests set: `moods.stock = { status: 503, body: {...}, after: 20 }`; without one all is well. */
export async function startService() {
  const moods = {};
  const server = http.createServer(async (request, response) => {
    for await (const chunk of request) void chunk;
    const mood = moods[request.url.slice(1)] ?? {};
    if (mood.after) await new Promise(done => setTimeout(done, mood.after));
    response.writeHead(mood.status ?? 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(mood.body ?? { reference: request.headers['idempotency-key'] }));
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: server.address().port, moods, stop };
}
