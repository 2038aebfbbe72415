FROM x
RUN a
USER y
