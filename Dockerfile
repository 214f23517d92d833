# fairtrec as a program: docker build -t fairtrec . && docker run --rm -v "$PWD:/data" fairtrec eval qrels.txt my.run ...
FROM python:3.13 AS build
# It has git, which knows the version.
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/fairtrec-*.whl)[fast]" && rm -r /wheels
WORKDIR /data
USER 1000
ENTRYPOINT ["fairtrec"]
CMD ["--help"]
