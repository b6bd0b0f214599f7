// Load generator for whole responses and event streams: one thread, epoll, keep-alive, so light that it is not the limit.
//   load -p PORT [-P /path] [-c CONNECTIONS] [-d SECONDS] [-w WARM_UP_SECONDS] -b BODY_FILE [-H 'Name: value']...
// Every connection always has one request in flight. Prints one line of JSON; latencies in microseconds.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
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

enum part { HEAD, SIZED_BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILER };

typedef struct {
  int fd, is_connected, status, closes;
  uint64_t started_at;
  size_t written;
  enum part part;
  char head[8192];
  int head_length;
  long needed;
  char size_line[64];
  int size_length;
} connection;

static int port = 0, poller;
static char *request;
static size_t request_length;
static uint64_t measure_from, end_at, succeeded, failed;
static uint32_t *latencies; // tenths of microseconds
static size_t latency_count, latency_room;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void note_latency(uint64_t nanoseconds) {
  if (latency_count == latency_room) {
    latency_room = latency_room ? latency_room * 2 : 65536;
    latencies = realloc(latencies, latency_room * sizeof *latencies);
  }
  uint64_t value = nanoseconds / 100;
  latencies[latency_count++] = value > UINT32_MAX ? UINT32_MAX : value;
}

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static double percentile(double share) {
  if (latency_count == 0) return -1;
  size_t place = (size_t)ceil(share * latency_count);
  return latencies[place > 0 ? place - 1 : 0] / 10.0;
}

static void watch(connection *c, int operation, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = c};
  epoll_ctl(poller, operation, c->fd, &event);
}

static void send_request(connection *c) {
  while (c->written < request_length) {
    ssize_t sent = send(c->fd, request + c->written, request_length - c->written, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EAGAIN) watch(c, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
      return;
    }
    c->written += sent;
  }
}

static void begin(connection *c) {
  c->started_at = now();
  c->written = 0;
  c->part = HEAD;
  c->head_length = 0;
  c->closes = 0;
  if (c->is_connected) send_request(c);
}

static void open_connection(connection *c) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int on = 1;
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  connect(c->fd, (void *)&address, sizeof address);
  c->is_connected = 0;
  watch(c, EPOLL_CTL_ADD, EPOLLIN | EPOLLOUT);
  begin(c);
}

static void finish(connection *c, int is_complete) {
  uint64_t at = now();
  if (at >= measure_from && at < end_at) {
    if (is_complete && c->status == 200) {
      succeeded++;
      note_latency(at - c->started_at);
    } else failed++;
  }
  if (!is_complete || c->closes) {
    close(c->fd);
    open_connection(c);
  } else begin(c);
}

// Reads the head once it is complete; returns how many of the bytes belong to it, or -1 when it is not.
static long read_head(connection *c, const char *bytes, long count) {
  long room = (long)sizeof c->head - 1 - c->head_length, taken = count < room ? count : room;
  int before = c->head_length;
  memcpy(c->head + before, bytes, taken);
  c->head_length += taken;
  c->head[c->head_length] = 0;
  char *end = strstr(c->head, "\r\n\r\n");
  if (end == NULL) return -1;
  long used = end - c->head + 4 - before;
  *end = 0;
  c->status = atoi(c->head + 9);
  c->needed = -1;
  for (char *line = strstr(c->head, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
    line += 2;
    if (!strncasecmp(line, "content-length:", 15)) c->needed = atol(line + 15);
    else if (!strncasecmp(line, "connection: close", 17)) c->closes = 1;
  }
  c->part = c->needed >= 0 ? SIZED_BODY : CHUNK_SIZE;
  c->size_length = 0;
  return used;
}

// 1: the response is complete.
static int feed(connection *c, const char *bytes, long count) {
  while (count > 0) {
    long taken = 1;
    if (c->part == HEAD) {
      taken = read_head(c, bytes, count);
      if (taken < 0) return 0;
      if (c->part == SIZED_BODY && c->needed == 0) return 1;
    } else if (c->part == SIZED_BODY || c->part == CHUNK) {
      taken = count < c->needed ? count : c->needed;
      c->needed -= taken;
      if (c->needed == 0 && c->part == SIZED_BODY) return 1;
      if (c->needed == 0) c->part = CHUNK_END;
    } else if (c->part == CHUNK_SIZE) {
      if (*bytes == '\n') {
        c->size_line[c->size_length] = 0;
        c->needed = strtol(c->size_line, NULL, 16);
        c->size_length = 0;
        c->part = c->needed > 0 ? CHUNK : TRAILER;
      } else if (c->size_length < 60) c->size_line[c->size_length++] = *bytes;
    } else if (*bytes == '\n') {
      if (c->part == TRAILER) return 1;
      c->part = CHUNK_SIZE;
    }
    bytes += taken;
    count -= taken;
  }
  return 0;
}

static void handle(connection *c, uint32_t events) {
  static char buffer[65536];
  if ((events & EPOLLOUT) && !(events & (EPOLLHUP | EPOLLERR))) {
    c->is_connected = 1;
    watch(c, EPOLL_CTL_MOD, EPOLLIN);
    send_request(c);
  }
  if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return;
  ssize_t received = recv(c->fd, buffer, sizeof buffer, 0);
  if (received > 0) {
    if (feed(c, buffer, received)) finish(c, 1);
  } else if (received == 0 || errno != EAGAIN) {
    usleep(1000);
    finish(c, 0);
  }
}

static void build_request(const char *path, const char *headers, const char *body_file) {
  FILE *file = fopen(body_file, "rb");
  if (file == NULL) {
    perror(body_file);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  size_t length = ftell(file);
  rewind(file);
  request = malloc(length + 8192);
  request_length = sprintf(request, "POST %s HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n%scontent-length: %zu\r\n\r\n",
                           path, headers, length);
  request_length += fread(request + request_length, 1, length, file);
  fclose(file);
}

int main(int argc, char **argv) {
  char headers[4096] = "";
  const char *path = "/v1/chat/completions", *body_file = "/dev/null";
  double seconds = 5, warm_up = 1;
  int count = 1, option;
  signal(SIGPIPE, SIG_IGN);
  while ((option = getopt(argc, argv, "p:P:c:d:w:b:H:")) > 0) {
    if (option == 'p') port = atoi(optarg);
    else if (option == 'P') path = optarg;
    else if (option == 'c') count = atoi(optarg);
    else if (option == 'd') seconds = atof(optarg);
    else if (option == 'w') warm_up = atof(optarg);
    else if (option == 'b') body_file = optarg;
    else if (option == 'H') strcat(strcat(headers, optarg), "\r\n");
    else return 2;
  }
  build_request(path, headers, body_file);
  struct rlimit files = {65536, 65536};
  setrlimit(RLIMIT_NOFILE, &files);
  poller = epoll_create1(0);
  measure_from = now() + (uint64_t)(warm_up * 1e9);
  end_at = measure_from + (uint64_t)(seconds * 1e9);
  connection *connections = calloc(count, sizeof *connections);
  for (int i = 0; i < count; i++) open_connection(&connections[i]);
  struct epoll_event events[1024];
  while (now() < end_at) {
    int ready = epoll_wait(poller, events, 1024, 50);
    for (int i = 0; i < ready; i++) handle(events[i].data.ptr, events[i].events);
  }
  qsort(latencies, latency_count, sizeof *latencies, compare);
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  printf("{\"responses\":%llu,\"failures\":%llu,\"perSecond\":%.1f,\"p50\":%.1f,\"p99\":%.1f,\"cpuSeconds\":%.2f}\n",
         (unsigned long long)succeeded, (unsigned long long)failed, succeeded / seconds, percentile(0.5), percentile(0.99), cpu);
  return 0;
}
