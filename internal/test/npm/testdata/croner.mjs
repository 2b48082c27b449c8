// Reads lines of JSON, {"expression", "zone", "start", "n"}, and answers each with the next n times in UTC, or an error.
import { createInterface } from 'node:readline';
import { Cron } from 'croner';

for await (const line of createInterface({ input: process.stdin })) {
  const { expression, zone, start, n } = JSON.parse(line);
  try {
    const times = new Cron(expression, { timezone: zone, paused: true }).nextRuns(n, new Date(start));
    console.log(JSON.stringify({ times: times.map((t) => t.toISOString()) }));
  } catch (e) {
    console.log(JSON.stringify({ error: e.message }));
  }
}
