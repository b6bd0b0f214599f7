import { describe, expect, test } from 'vitest';
import { pathPattern, splitVerb } from './path-pattern.ts';

describe('path patterns', () => {
  test.each([
    { path: '/v1/chat/completions', route: '/v1/chat/completions', verb: undefined },
    { path: '/v1beta/models/{model}:countTokens', route: '/v1beta/models/:model+', verb: 'countTokens' },
    { path: '/v1/engines/{model}/embeddings', route: '/v1/engines/:model+/embeddings', verb: undefined },
  ])('$path is the route $route', ({ path, route, verb }) => {
    expect(pathPattern(path)).toMatchObject({ route, verb });
  });

  test.each([
    { path: '/v1/messages', covered: ['/v1/messages', '/v1/messages/x'], others: ['/v1/messagesx', '/v1'] },
    {
      path: '/v1/models/{model}:countTokens',
      covered: [
        '/v1/models/m:countTokens',
        '/v1/models/vendor/m:free:countTokens',
        '/v1/models/m%3AcountTokens',
        '/v1/models/a%2Fb:countTokens',
      ],
      others: ['/v1/models/m', '/v1/models/:countTokens', '/v1/models/m:count', '/v1beta/models/m:countTokens'],
    },
    {
      path: '/v1/engines/{model}/embeddings',
      covered: ['/v1/engines/a/embeddings', '/v1/engines/a/b/embeddings'],
      others: ['/v1/engines//embeddings', '/v1/engines/a', '/v1/engines/embeddings'],
    },
  ])('$path matches the paths that it names', ({ path, covered, others }) => {
    const { covers } = pathPattern(path);
    expect(covered.filter((one) => !covers(one))).toEqual([]);
    expect(others.filter(covers)).toEqual([]);
  });

  test.each([
    ['m:generateContent', { model: 'm', verb: 'generateContent' }],
    ['vendor/m:free:generateContent', { model: 'vendor/m:free', verb: 'generateContent' }],
    ['m', { model: 'm', verb: undefined }],
    ['m:', { model: 'm', verb: '' }],
  ])('%s is split at its last colon', (named, split) => {
    expect(splitVerb(named)).toEqual(split);
  });
});
