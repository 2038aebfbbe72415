void f(char *a, char *b) {
    if (a != NULL) free(a);
    if (a)
        free(a);
    if (a != NULL) free(b);
    if (b->next != NULL) free(b->next);
}
