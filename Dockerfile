# The command line and the service, without Spark. Build: docker build -t equipoise .
# Use: docker run --rm -v "$PWD:/data" equipoise plan orders.txt --drain 5 --out drained
FROM python:3.12-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build
COPY requirements/image.txt requirements/image.txt
RUN python -m venv /opt/equipoise \
    && /opt/equipoise/bin/python -m pip install --require-hashes -r requirements/image.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY man man
COPY examples/fleet examples/fleet
RUN /opt/equipoise/bin/python -m pip install --no-deps .

FROM python:3.12-slim-bookworm
LABEL org.opencontainers.image.title="equipoise" org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/equipoise /opt/equipoise
ENV PATH="/opt/equipoise/bin:$PATH" PYTHONDONTWRITEBYTECODE=1
RUN useradd --uid 10001 --create-home equipoise
USER 10001
WORKDIR /data
ENTRYPOINT ["equipoise"]
CMD ["--help"]
