// An upstream for benchmarks: one thread, epoll, keep-alive, loopback only, so light that it is not the limit. Prints its
// port as one line of JSON. The path tells the format: /messages Claude's, /responses OpenAI's Responses, a verb behind a colon
// Gemini's, every other OpenAI's chat. Responses and Gemini answer streams alone.
// The request's model says how: mock[-nCHUNKS][-dMILLISECONDS]: chunks of a stream (50), delay before each (0: one burst).
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  char *bytes;
  size_t length, room;
} text;

typedef enum { chat, claude, responses, gemini } format;

typedef struct {
  int fd, is_closed, waits_to_write;
  text in, out;
  size_t written;
  int is_streaming, chunks, sent, delay;
  format format;
  uint64_t due;
  int place; // in the heap of timers, -1: none
} connection;

static int poller;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void reserve(text *t, size_t more) {
  if (t->length + more <= t->room) return;
  t->room = (t->length + more) * 2;
  t->bytes = realloc(t->bytes, t->room);
}

static void append(text *t, const char *bytes, size_t length) {
  reserve(t, length);
  memcpy(t->bytes + t->length, bytes, length);
  t->length += length;
}

// Timers: a binary heap by due time.

static connection **heap;
static int heap_size, heap_room;

static void put(int place, connection *c) {
  heap[place] = c;
  c->place = place;
}

static void rise(int place) {
  connection *c = heap[place];
  for (; place > 0 && heap[(place - 1) / 2]->due > c->due; place = (place - 1) / 2) put(place, heap[(place - 1) / 2]);
  put(place, c);
}

static void sink(int place) {
  connection *c = heap[place];
  for (;;) {
    int child = 2 * place + 1;
    if (child >= heap_size) break;
    if (child + 1 < heap_size && heap[child + 1]->due < heap[child]->due) child++;
    if (heap[child]->due >= c->due) break;
    put(place, heap[child]);
    place = child;
  }
  put(place, c);
}

static void set_timer(connection *c, uint64_t due) {
  if (heap_size == heap_room) {
    heap_room = heap_room ? heap_room * 2 : 1024;
    heap = realloc(heap, heap_room * sizeof *heap);
  }
  c->due = due;
  put(heap_size++, c);
  rise(c->place);
}

static void remove_timer(connection *c) {
  int place = c->place;
  if (place < 0) return;
  c->place = -1;
  if (place == --heap_size) return;
  put(place, heap[heap_size]);
  rise(place);
  sink(heap[place]->place);
}

static void hang_up(connection *c) {
  if (c->is_closed) return;
  c->is_closed = 1;
  remove_timer(c);
  close(c->fd);
}

static void flush(connection *c) {
  while (c->written < c->out.length) {
    ssize_t sent = send(c->fd, c->out.bytes + c->written, c->out.length - c->written, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) {
      hang_up(c);
      return;
    }
    if (sent < 0) break;
    c->written += sent;
  }
  int waits = c->written < c->out.length;
  if (!waits) c->written = c->out.length = 0;
  if (waits == c->waits_to_write) return;
  c->waits_to_write = waits;
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | (waits ? EPOLLOUT : 0), .data.ptr = c};
  epoll_ctl(poller, EPOLL_CTL_MOD, c->fd, &event);
}

// Responses.

#define CHAT_HEAD "\"id\":\"chatcmpl-bench\",\"created\":1760000000,\"model\":\"mock\",\"system_fingerprint\":\"fp_bench\""
#define CHAT_CHUNK "data: {" CHAT_HEAD ",\"object\":\"chat.completion.chunk\",\"choices\":["
#define CHAT_USAGE "\"usage\":{\"prompt_tokens\":57,\"completion_tokens\":50,\"total_tokens\":107}"
#define GEMINI_USAGE "\"usageMetadata\":{\"promptTokenCount\":57,\"totalTokenCount\":%d,\"candidatesTokenCount\":%d},"
#define CLAUDE_HEAD "\"id\":\"msg_bench\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"mock\""

static char words[900];

static void write_whole(connection *c) {
  char body[2048], head[160];
  const char *form = c->format == claude ? "{" CLAUDE_HEAD ",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],\"stop_reason\":\"end_turn\","
                                    "\"stop_sequence\":null,\"usage\":{\"input_tokens\":57,\"output_tokens\":50}}"
                                  : "{" CHAT_HEAD ",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":"
                                    "{\"role\":\"assistant\",\"content\":\"%s\"},\"finish_reason\":\"stop\"}]," CHAT_USAGE "}";
  int length = snprintf(body, sizeof body, form, words);
  int head_length = sprintf(head, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n", length);
  append(&c->out, head, head_length);
  append(&c->out, body, length);
}

static void write_chunk(connection *c, const char *bytes) {
  char size[24];
  size_t length = strlen(bytes);
  append(&c->out, size, sprintf(size, "%zx\r\n", length));
  append(&c->out, bytes, length);
  append(&c->out, "\r\n", 2);
}

#define RESPONSE "{\"id\":\"resp_bench\",\"object\":\"response\",\"created_at\":1760000000,\"model\":\"mock\",\"tools\":[],\"tool_choice\":\"auto\"," \
                 "\"parallel_tool_calls\":true,\"error\":null,\"incomplete_details\":null,\"instructions\":null,\"metadata\":{},"
#define ITEM "{\"id\":\"msg_bench\",\"type\":\"message\",\"role\":\"assistant\","
#define PLACE "\"item_id\":\"msg_bench\",\"output_index\":0,\"content_index\":0,"

static char said[12000];

// The type stands twice, as Responses and Claude have it.
static void write_named(connection *c, const char *name, int number, const char *rest) {
  static char event[16000];
  snprintf(event, sizeof event, "event: %s\ndata: {\"type\":\"%s\",\"sequence_number\":%d,%s}\n\n", name, name, number, rest);
  write_chunk(c, event);
}

static void write_stream_head(connection *c) {
  static const char head[] = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n";
  append(&c->out, head, sizeof head - 1);
  switch (c->format) {
  case claude:
    write_chunk(c, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{" CLAUDE_HEAD
                   ",\"content\":[],\"usage\":{\"input_tokens\":57,\"output_tokens\":1}}}\n\n");
    write_chunk(c, "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":"
                   "{\"type\":\"text\",\"text\":\"\"}}\n\n");
    break;
  case responses:
    write_named(c, "response.created", 0, "\"response\":" RESPONSE "\"status\":\"in_progress\",\"output\":[],\"usage\":null}");
    write_named(c, "response.in_progress", 1, "\"response\":" RESPONSE "\"status\":\"in_progress\",\"output\":[],\"usage\":null}");
    write_named(c, "response.output_item.added", 2, "\"output_index\":0,\"item\":" ITEM "\"status\":\"in_progress\",\"content\":[]}");
    write_named(c, "response.content_part.added", 3, PLACE "\"part\":{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}");
    break;
  case gemini:
    break;
  case chat:
    write_chunk(c, CHAT_CHUNK "{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n");
  }
}

static void write_event(connection *c, int number) {
  char event[640];
  switch (c->format) {
  case claude:
    sprintf(event, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
                   "{\"type\":\"text_delta\",\"text\":\" word%d\"}}\n\n", number);
    break;
  case responses:
    sprintf(event, PLACE "\"delta\":\" word%d\",\"logprobs\":[]", number);
    write_named(c, "response.output_text.delta", 4 + number, event);
    return;
  case gemini:
    sprintf(event, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\" word%d\"}],\"role\":\"model\"},\"index\":0}],"
                   GEMINI_USAGE "\"modelVersion\":\"mock\",\"responseId\":\"bench\"}\n\n", number, 57 + number + 1, number + 1);
    break;
  case chat:
    sprintf(event, CHAT_CHUNK "{\"index\":0,\"delta\":{\"content\":\" word%d\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n", number);
  }
  write_chunk(c, event);
}

static void write_response_end(connection *c) {
  static char rest[15000];
  int length = 0, number = 4 + c->chunks;
  for (int i = 0; i < c->chunks && length < (int)sizeof said - 20; i++) length += sprintf(said + length, " word%d", i);
  snprintf(rest, sizeof rest, PLACE "\"text\":\"%s\",\"logprobs\":[]", said);
  write_named(c, "response.output_text.done", number, rest);
  snprintf(rest, sizeof rest, PLACE "\"part\":{\"type\":\"output_text\",\"text\":\"%s\",\"annotations\":[]}", said);
  write_named(c, "response.content_part.done", number + 1, rest);
  static const char item[] = ITEM "\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"text\":\"%s\",\"annotations\":[]}]}";
  length = sprintf(rest, "\"output_index\":0,\"item\":");
  snprintf(rest + length, sizeof rest - length, item, said);
  write_named(c, "response.output_item.done", number + 2, rest);
  length = sprintf(rest, "\"response\":" RESPONSE "\"status\":\"completed\",\"output\":[");
  length += snprintf(rest + length, sizeof rest - length, item, said);
  snprintf(rest + length, sizeof rest - length, "],\"usage\":{\"input_tokens\":57,\"input_tokens_details\":{\"cached_tokens\":0},"
           "\"output_tokens\":50,\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":107}}");
  write_named(c, "response.completed", number + 3, rest);
}

static void write_stream_end(connection *c) {
  switch (c->format) {
  case claude:
    write_chunk(c, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n");
    write_chunk(c, "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\","
                   "\"stop_sequence\":null},\"usage\":{\"output_tokens\":50}}\n\n");
    write_chunk(c, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
    break;
  case responses:
    write_response_end(c);
    break;
  case gemini: {
    char event[400];
    sprintf(event, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0}],"
                   GEMINI_USAGE "\"modelVersion\":\"mock\",\"responseId\":\"bench\"}\n\n", 107, 50);
    write_chunk(c, event);
    break;
  }
  case chat:
    write_chunk(c, CHAT_CHUNK "{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
    write_chunk(c, CHAT_CHUNK "]," CHAT_USAGE "}\n\n");
    write_chunk(c, "data: [DONE]\n\n");
  }
  append(&c->out, "0\r\n\r\n", 5);
  c->is_streaming = 0;
}

static void answer(connection *c) {
  if (!c->is_streaming) write_whole(c);
  else {
    write_stream_head(c);
    c->sent = 0;
    if (c->delay > 0) set_timer(c, now() + (uint64_t)c->delay * 1000000ull);
    else {
      for (int i = 0; i < c->chunks; i++) write_event(c, i);
      write_stream_end(c);
    }
  }
  flush(c);
}

// Requests.

static int number_after(const char *model, const char *end, char letter, int otherwise) {
  for (const char *at = model; at + 1 < end; at++)
    if (at[0] == '-' && at[1] == letter) return atoi(at + 2);
  return otherwise;
}

static format format_of(const char *path, const char *end) {
  const struct { const char *text; format format; } known[] = {{"/messages", claude}, {"/responses", responses}, {"GenerateContent", gemini}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (memmem(path, end - path, known[i].text, strlen(known[i].text)) != NULL) return known[i].format;
  return chat;
}

static void read_body(connection *c, const char *path, const char *body, size_t length) {
  const char *model = memmem(body, length, "\"model\":\"", 9), *end = model;
  if (model != NULL) end = memchr(model + 9, '"', body + length - model - 9);
  if (end == NULL) end = model;
  // Gemini has it, and whether it streams, in the path.
  if (c->format == gemini) model = path, end = strchr(path, ':');
  c->chunks = number_after(model, end, 'n', 50);
  c->delay = number_after(model, end, 'd', 0);
  c->is_streaming = c->format == gemini || memmem(body, length, "\"stream\":true", 13) != NULL;
}

static void read_requests(connection *c) {
  while (!c->is_closed && !c->is_streaming && c->in.length > 0) {
    char *head_end = memmem(c->in.bytes, c->in.length, "\r\n\r\n", 4);
    if (head_end == NULL) return;
    size_t head = head_end - c->in.bytes + 4, length = 0;
    *head_end = 0;
    char *field = strcasestr(c->in.bytes, "\r\ncontent-length:");
    if (field != NULL) length = strtoul(field + 17, NULL, 10);
    char *path_end = strstr(c->in.bytes, " HTTP/");
    *head_end = '\r';
    if (c->in.length < head + length) return;
    c->format = path_end == NULL ? chat : format_of(c->in.bytes, path_end);
    read_body(c, c->in.bytes, c->in.bytes + head, length);
    c->in.length -= head + length;
    memmove(c->in.bytes, c->in.bytes + head + length, c->in.length);
    answer(c);
  }
}

static void receive(connection *c) {
  for (;;) {
    reserve(&c->in, 16384);
    ssize_t received = recv(c->fd, c->in.bytes + c->in.length, c->in.room - c->in.length, 0);
    if (received > 0) c->in.length += received;
    else if (received == 0 || errno != EAGAIN) {
      hang_up(c);
      return;
    } else break;
  }
  read_requests(c);
}

static void accept_all(int listener) {
  int on = 1;
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (fd < 0) return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection *c = calloc(1, sizeof *c);
    c->fd = fd;
    c->place = -1;
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = c};
    epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
  }
}

static void run_timers(void) {
  for (uint64_t at = now(); heap_size > 0 && heap[0]->due <= at;) {
    connection *c = heap[0];
    remove_timer(c);
    if (c->sent < c->chunks) {
      write_event(c, c->sent++);
      set_timer(c, c->due + (uint64_t)c->delay * 1000000ull);
    } else write_stream_end(c);
    flush(c);
    if (!c->is_closed) read_requests(c);
  }
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  struct rlimit files = {65536, 65536};
  setrlimit(RLIMIT_NOFILE, &files);
  for (size_t i = 0; i + 5 < sizeof words; i += 5) memcpy(words + i, "word ", 5);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (bind(listener, (void *)&address, sizeof address) || listen(listener, 16384)) {
    perror("listen");
    return 1;
  }
  getsockname(listener, (void *)&address, &size);
  poller = epoll_create1(0);
  struct epoll_event own = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &own);
  printf("{\"port\":%d}\n", ntohs(address.sin_port));
  fflush(stdout);
  struct epoll_event events[1024];
  for (;;) {
    uint64_t at = now(), wait = heap_size > 0 && heap[0]->due > at ? heap[0]->due - at : 0;
    struct timespec timeout = {wait / 1000000000ull, wait % 1000000000ull};
    int ready = epoll_pwait2(poller, events, 1024, heap_size > 0 ? &timeout : NULL, NULL);
    for (int i = 0; i < ready; i++) {
      connection *c = events[i].data.ptr;
      if (c == NULL) {
        accept_all(listener);
        continue;
      }
      if (events[i].events & EPOLLOUT) flush(c);
      if (!c->is_closed && (events[i].events & ~EPOLLOUT)) receive(c);
      // Nothing else points to it: its timer is gone, and a descriptor comes once per round.
      if (c->is_closed) {
        free(c->in.bytes);
        free(c->out.bytes);
        free(c);
      }
    }
    run_timers();
  }
}
