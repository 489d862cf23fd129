#!/usr/bin/env bash
# Elysia 1.4.30 on Node, by its handle(), which takes the Request of any server or runtime: one route, requested at
# short host names, such as containers in one network have.
#
# A guess: 200 each time, as the route does not depend on the host.
# Found: 404 for hosts of fewer than four characters. Elysia looks for the start of the path from the twelfth character
# of the URL on, which in `http://api/users` lies within the path. So a service works in development, at localhost:3000,
# and as `users`, but not once it is called `api` or `web` on port 80.
#
# Fails if that changes. Needs Node 20 or later and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps elysia@1.4.30 @sinclair/typebox@0.34.52 \
  exact-mirror@0.2.7 memoirist@0.4.0
cat >run.mjs <<'JS'
import { Elysia } from 'elysia';

const application = new Elysia().get('/users', () => 'users').get('/', () => 'home');
for (const host of ['localhost:3000', 'users', 'auth', 'api', 'web', 'db']) {
  for (const path of ['/', '/users']) {
    const url = `http://${host}${path}`;
    const response = await application.handle(new Request(url));
    console.log(url, response.status, await response.text());
  }
}
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
http://localhost:3000/ 200 home
http://localhost:3000/users 200 users
http://users/ 200 home
http://users/users 200 users
http://auth/ 200 home
http://auth/users 200 users
http://api/ 404 NOT_FOUND
http://api/users 404 NOT_FOUND
http://web/ 404 NOT_FOUND
http://web/users 404 NOT_FOUND
http://db/ 404 NOT_FOUND
http://db/users 404 NOT_FOUND
TEXT
