// Error codes of iFlytek's Spark, the same over HTTP and WebSocket.
// https://www.xfyun.cn/doc/spark/%E6%8E%A5%E5%8F%A3%E8%AF%B4%E6%98%8E.html

/** HTTP status by code; others are 500. */
export const sparkStatuses: Readonly<Record<number, number>> = {
  10_003: 400,
  10_004: 400,
  10_005: 400,
  10_163: 400,
  10_907: 400,
  10_013: 400,
  10_014: 400,
  10_019: 400,
  10_015: 401,
  10_016: 401,
  11_200: 401,
  10_006: 429,
  10_007: 429,
  10_008: 429,
  11_201: 429,
  11_202: 429,
  11_203: 429,
};
