# The app in one image: `docker build --tag thunder-tok .`, then
# `docker run --publish 8501:8501 --volume thunder-tok:/data thunder-tok`.
FROM python:3.11-slim

# Kernels are compiled here and run elsewhere: for any processor of the same kind, not for the one that builds.
ENV NUMBA_CPU_NAME=generic \
    NUMBA_CPU_FEATURES="" \
    XDG_CACHE_HOME=/var/cache/thunder-tok \
    THUNDER_TOK_LIBRARY=/data \
    PORT=8501 \
    PYTHONUNBUFFERED=1

WORKDIR /srv/thunder-tok
COPY install.py pyproject.toml requirements.txt ./
COPY requirements requirements
# Compiled sources of packages are made here: the user below cannot write them.
RUN PIP_NO_CACHE_DIR=1 UV_NO_CACHE=1 UV_COMPILE_BYTECODE=1 python install.py server \
 && pip uninstall --yes uv

COPY LICENSE ./
COPY assets assets
COPY engine engine
COPY app app
RUN python -m compileall -q engine app \
 && useradd --no-create-home --home-dir /tmp thunder-tok \
 && install --directory --owner=thunder-tok /var/cache/thunder-tok /data

USER thunder-tok
RUN python -m engine warmup && python -m app.prepare

VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD python -c "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/ready', timeout=4)"
CMD ["sh", "-c", "exec python -m app --server.port=$PORT --server.address=0.0.0.0"]
