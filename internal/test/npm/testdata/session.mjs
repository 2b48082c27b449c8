// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// A session of a client with server-everything, the same for every client.

/**
 * Plays the session and prints what the client saw, as one JSON object.
 *
 * client has the functions capabilities(), listTools(), ping() and close(), and
 * call(params, {onprogress, signal}), which need not know its options: client.knows
 * lists those that it does.
 */
export async function session(client, protocol) {
  const seen = { protocol };
  const call = (name, args, options) => client.call({ name, arguments: args }, options);
  try {
    seen.capability = client.capabilities().experimental?.toolValidation;
    seen.tools = (await client.listTools()).tools.map((tool) => tool.name);
    seen.good = await call('echo', { message: 'hällo 😀' });
    seen.bad = await call('echo', { mesage: 'hello' });
    seen.badWithOutputSchema = await call('get-structured-content', { location: 'Nowhere' });
    seen.valid = await call('validate', { tool: 'get-sum', arguments: { a: 1, b: 2 } });
    seen.invalid = await call('validate', { tool: 'get-sum', arguments: { a: '1' } });
    seen.progress = [];
    const onprogress = (p) => seen.progress.push(p.progress);
    await call('trigger-long-running-operation', { duration: 0.05, steps: 3 }, { onprogress });
    if (client.knows.includes('cancel')) {
      const abort = new AbortController();
      const canceled = call('trigger-long-running-operation', { duration: 60, steps: 600 },
        { signal: abort.signal, onprogress: () => abort.abort('enough') });
      seen.canceled = await canceled.then(() => false, () => true);
    }
    if (client.knows.includes('sampling')) {
      seen.sampling = await call('trigger-sampling-request', { prompt: 'p', maxTokens: 5 });
    }
    if (client.knows.includes('elicitation')) {
      seen.elicitation = await call('trigger-elicitation-request', {});
    }
    await client.ping();
    seen.done = true;
  } catch (error) {
    seen.error = `${error.stack}`;
  }
  console.log(JSON.stringify(seen));
  await client.close();
  // A canceled operation of the server has a timer that must not keep anybody waiting.
  process.exit(seen.error ? 1 : 0);
}

/** What the client answers when the server asks it. */
export const answers = {
  sampling: { role: 'assistant', content: { type: 'text', text: 'sampled' }, model: 'm', stopReason: 'endTurn' },
  elicitation: { action: 'accept', content: { name: 'elicited', check: true } },
};
