// Usage APIs of OpenAI, Anthropic and OpenRouter, written after their documentation: pages, admin keys, and faults that providers have.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Lines of a day (`YYYY-MM-DD`), in dollars. */
export interface FakeUsage {
  day: string;
  model: string;
  usd: string;
  calls: number;
  input: number;
  output: number;
}

export type ApiFault = 'html' | 'endless' | 'repeats' | 'cut' | 401 | 429 | 500;

export interface FakeUsageApis extends AsyncDisposable {
  url: string;
  usage: FakeUsage[];
  fault: ApiFault | undefined;
  /** Paths that were called with a valid key. */
  requests: string[];
}

export const adminKeys = { openai: 'sk-admin-quay', anthropic: 'sk-ant-admin-quay', openrouter: 'sk-or-v1-mgmt-quay' };
/** Days of a page: fewer than requested, so that there are pages. */
const pageDays = 2;

export async function startFakeUsageApis(): Promise<FakeUsageApis> {
  const server = createServer((request, response) => answer(fake, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeUsageApis = {
    url: `http://127.0.0.1:${port}`,
    usage: [],
    fault: undefined,
    requests: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

function answer(fake: FakeUsageApis, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams: query, search } = new URL(request.url ?? '/', 'http://fake');
  const send = (status: number, body: unknown, headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const isAnthropic = pathname.startsWith('/v1/organizations/');
  const key = isAnthropic ? request.headers['x-api-key'] : request.headers.authorization?.replace('Bearer ', '');
  const wanted = isAnthropic ? adminKeys.anthropic : pathname.startsWith('/api/') ? adminKeys.openrouter : adminKeys.openai;
  if (key !== wanted || fake.fault === 401) return send(401, { error: { message: `Incorrect API key provided: ${String(key)}` } });
  fake.requests.push(`${pathname}${search}`);
  if (fake.fault === 'html') return send(200, '<!doctype html><title>Just a moment…</title>', { 'content-type': 'text/html' });
  if (fake.fault === 429) return send(429, { error: { message: 'Rate limit' } }, { 'retry-after': '7200' });
  if (fake.fault === 500) return send(500, 'upstream connect error');
  if (fake.fault === 'cut') {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"data":[');
    return void response.destroy();
  }
  if (pathname === '/api/v1/activity') {
    const rows = fake.usage.filter(({ day }) => day === query.get('date'));
    return send(200, {
      data: rows.map(({ day, model, usd, calls, input, output }) => ({
        date: day,
        model,
        model_permaslug: model,
        usage: Number(usd),
        requests: calls,
        prompt_tokens: input,
        completion_tokens: output,
      })),
    });
  }
  const days = daysOf(isAnthropic ? [query.get('starting_at'), query.get('ending_at')] : [query.get('start_time'), query.get('end_time')]);
  const from = Number(query.get('page')?.replace('page_', '') ?? 0);
  const isEndless = fake.fault === 'endless' || fake.fault === 'repeats';
  const next = fake.fault === 'repeats' ? 1 : from + pageDays;
  const page = {
    has_more: isEndless || next < days.length,
    next_page: isEndless || next < days.length ? `page_${next}` : null,
  };
  const ofDay = (day: string) => fake.usage.filter((usage) => usage.day === day);
  const shown = days.slice(from, from + pageDays);
  if (isAnthropic) {
    const isCost = pathname.endsWith('/cost_report');
    return send(200, {
      data: shown.map((day) => ({
        starting_at: `${day}T00:00:00Z`,
        results: ofDay(day).map(({ model, usd, input, output }) =>
          isCost
            ? { currency: 'USD', amount: String(Number(usd) * 100), model, description: `${model} Usage`, cost_type: 'tokens' }
            : {
                model,
                uncached_input_tokens: input,
                cache_read_input_tokens: 0,
                cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
                output_tokens: output,
              },
        ),
      })),
      ...page,
    });
  }
  const isCost = pathname === '/v1/organization/costs';
  send(200, {
    object: 'page',
    data: shown.map((day) => ({
      object: 'bucket',
      start_time: Date.parse(`${day}T00:00:00Z`) / 1000,
      end_time: Date.parse(`${day}T00:00:00Z`) / 1000 + 86_400,
      results: ofDay(day).map(({ model, usd, calls, input, output }) =>
        isCost
          ? { object: 'organization.costs.result', amount: { value: usd, currency: 'usd' }, line_item: `${model}, input`, project_id: null }
          : {
              object: 'organization.usage.completions.result',
              model,
              num_model_requests: calls,
              input_tokens: input,
              output_tokens: output,
            },
      ),
    })),
    ...page,
  });
}

function daysOf([from, to]: (string | null)[]): string[] {
  const timeOf = (text: string | null | undefined) => (/^\d+$/.test(text ?? '') ? Number(text) * 1000 : Date.parse(text ?? ''));
  const days: string[] = [];
  for (let time = timeOf(from); time < timeOf(to); time += 86_400_000) days.push(new Date(time).toISOString().slice(0, 10));
  return days;
}
