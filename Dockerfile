# fairtrec as a program: docker build -t fairtrec . && docker run --rm -v "$PWD:/data" fairtrec eval qrels.txt my.run ...
# The version is that of .git, which is copied with the rest; of files without it say --build-arg VERSION=1.2.3.
FROM python:3.13 AS build
ARG VERSION=""
COPY . /source
RUN pip install --no-cache-dir --require-hashes -r /source/lock/build.txt
RUN if [ -n "$VERSION" ]; then export SETUPTOOLS_SCM_PRETEND_VERSION="$VERSION"; fi; \
    pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels /source

FROM python:3.13-slim
COPY --from=build /wheels /source/lock/run.txt /wheels/
RUN pip install --no-cache-dir --only-binary :all: --require-hashes -r /wheels/run.txt && \
    pip install --no-cache-dir --no-deps /wheels/fairtrec-*.whl && rm -r /wheels
WORKDIR /data
USER 1000
ENTRYPOINT ["fairtrec"]
CMD ["--help"]
