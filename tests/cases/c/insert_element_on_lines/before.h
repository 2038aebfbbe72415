#ifndef API_H
#define API_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct node {
    struct node *next, **last;
    int (*compare)(const void *, const void *);
    union { int i; float f; } value;
} node_t;
typedef union { int i; } any_t;
typedef union raw { int i; } raw_t;
typedef enum level { LOW = 1, HIGH, } level_t;
typedef enum { OFF } mode_t;
typedef struct { int width; } size_t2;
typedef int (*handler)(int), number;
typedef struct node *list;
union both { int i; };
enum { ANON };
struct opaque;

API_EXPORT int open_list(list l);
API_EXPORT int close_list(list l);
extern int count, *cursor, table[2][3];
extern int (*on_error)(int), (*hooks[4])(void);
int plain(void);
char *pointer(void);
char **pointers(void);
static const int values[] = {
    1, /* one */
    2
};
int wrapped [[maybe_unused]] = 1;
static const char *text = "a"
    "b";

#if LIMIT > 3
int many;
struct many { int i; };
#elif LIMIT
int some;
struct some { int i; };
#else
int none;
struct last { int i; };
#endif

#undef LIMIT

#ifdef __cplusplus
}
#endif

#endif
