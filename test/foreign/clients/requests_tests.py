"""What Python's requests makes of wirebin. FOREIGN_URL is the service."""

import json
import os
import unittest

import requests
from requests.auth import HTTPBasicAuth, HTTPDigestAuth

ORIGIN = os.environ['FOREIGN_URL']


class Requests(unittest.TestCase):
    def setUp(self):
        self.session = requests.Session()
        self.addCleanup(self.session.close)

    def get(self, path, **rest):
        return self.session.get(ORIGIN + path, timeout=30, **rest)

    def post(self, path, **rest):
        return self.session.post(ORIGIN + path, timeout=30, **rest)

    def test_session_keeps_its_connection(self):
        ids = {self.get('/get').json()['conn']['id'] for _ in range(5)}
        self.assertEqual(len(ids), 1)
        self.assertEqual(self.get('/get').json()['conn']['request'], 6)

    def test_session_keeps_cookies(self):
        self.assertEqual(self.get('/cookies/set?a=b&c=d').json(), {'cookies': {'a': 'b', 'c': 'd'}})
        self.assertEqual(self.get('/cookies/set/e/f').json()['cookies']['e'], 'f')
        self.assertEqual(self.get('/cookies/delete?a').json(), {'cookies': {'c': 'd', 'e': 'f'}})

    def test_arguments_fields_and_forms(self):
        echo = self.post('/post?q=1', data={'a': ['1', '2']}, headers={'X-Some': 'caf\u00e9'}).json()
        self.assertEqual((echo['args'], echo['form']), ({'q': '1'}, {'a': ['1', '2']}))
        self.assertEqual(self.post('/post', json={'k': [1, None]}).json()['json'], {'k': [1, None]})

    def test_files(self):
        echo = self.post('/post', files={'f': ('n.bin', b'\x00\xff')}, data={'a': 'b'}).json()
        self.assertEqual(echo['form'], {'a': 'b'})
        self.assertEqual(echo['files']['f'], 'data:application/octet-stream;base64,AP8=')

    def test_chunked_content(self):
        echo = self.post('/upload', data=iter([b'one', b'two'])).json()
        self.assertEqual(echo['bytes_received'], 6)

    def test_basic_and_bearer(self):
        right = HTTPBasicAuth('u', 'p\u00e4')
        self.assertEqual(self.get('/basic-auth/u/p', auth=('u', 'p')).status_code, 200)
        self.assertEqual(self.get('/basic-auth/u/p', auth=right).status_code, 401)
        self.assertEqual(self.get('/hidden-basic-auth/u/p').status_code, 404)
        fields = {'Authorization': 'Bearer t'}
        self.assertEqual(self.get('/bearer', headers=fields).json()['token'], 't')

    def test_digest(self):
        for algorithm in ('MD5', 'SHA-256', 'SHA-512'):
            for qop in ('auth', 'auth,auth-int'):
                path = f'/digest-auth/{qop}/u/p/{algorithm}'
                with self.subTest(path):
                    right = self.get(path, auth=HTTPDigestAuth('u', 'p'))
                    wrong = self.get(path, auth=HTTPDigestAuth('u', 'x'))
                    self.assertEqual((right.status_code, wrong.status_code), (200, 401))

    def test_digest_counts_on_and_renews_its_nonce(self):
        auth = HTTPDigestAuth('u', 'p')
        answers = [self.get('/digest-auth/auth/u/p/SHA-256/2', auth=auth) for _ in range(4)]
        self.assertEqual([answer.status_code for answer in answers], [200] * 4)
        self.assertEqual([len(answer.history) for answer in answers], [1, 0, 1, 0])
        self.assertIn('stale=true', answers[2].history[0].headers['WWW-Authenticate'])

    def test_digest_with_a_required_cookie(self):
        path = '/digest-auth/auth/u/p/MD5?require-cookie=1'
        self.assertEqual(self.get(path, auth=HTTPDigestAuth('u', 'p')).status_code, 200)

    def test_redirects(self):
        for kind in ('redirect', 'relative-redirect', 'absolute-redirect'):
            with self.subTest(kind):
                answer = self.get(f'/{kind}/4')
                self.assertEqual((answer.status_code, len(answer.history)), (200, 4))
                self.assertEqual(answer.url, ORIGIN + '/get')

    def test_redirects_by_method(self):
        for status, method in ((301, 'GET'), (302, 'GET'), (303, 'GET'), (307, 'POST'), (308, 'POST')):
            with self.subTest(status):
                path = f'/redirect-to?url=/anything&status_code={status}'
                echo = self.post(path, data=b'content').json()
                self.assertEqual(echo['method'], method)
                self.assertEqual(echo['body'], 'content' if method == 'POST' else '')

    def test_codings(self):
        accepted = self.get('/get').json()['headers']['accept-encoding']
        for path, coding in (('/gzip', 'gzip'), ('/deflate', 'deflate'), ('/brotli', 'br')):
            with self.subTest(path):
                answer = self.get(path)
                self.assertEqual(answer.headers['Content-Encoding'], coding)
                self.assertEqual(answer.json()['path'], path)
        self.assertEqual(self.get('/compressed').json()['path'], '/compressed')
        self.assertIn('br', accepted)

    def test_lines_as_they_come(self):
        with self.get('/stream/20', stream=True) as answer:
            self.assertEqual([json.loads(line)['id'] for line in answer.iter_lines()], list(range(20)))

    def test_octets_as_they_come(self):
        whole = self.get('/bytes/100000?seed=3').content
        with self.get('/stream-bytes/100000?seed=3&chunk_size=777', stream=True) as answer:
            self.assertEqual(b''.join(answer.iter_content(1000)), whole)

    def test_a_drip(self):
        with self.get('/drip?numbytes=5&duration=0.5&delay=0.1', stream=True) as answer:
            self.assertEqual(list(answer.iter_content(1)), [b'*'] * 5)

    def test_a_timeout(self):
        with self.assertRaises(requests.ReadTimeout):
            self.session.get(ORIGIN + '/delay/5', timeout=0.2)

    def test_ranges_and_validators(self):
        part = self.get('/range/26', headers={'Range': 'bytes=1-3'})
        self.assertEqual((part.status_code, part.text), (206, 'bcd'))
        tag = self.get('/cache').headers['ETag']
        self.assertEqual(self.get('/cache', headers={'If-None-Match': tag}).status_code, 304)

    def test_links(self):
        self.assertEqual(self.get('/links/5').text.count('<a href'), 4)

    def test_errors(self):
        answer = self.get('/status/503')
        with self.assertRaises(requests.HTTPError):
            answer.raise_for_status()

    def test_encodings(self):
        self.assertIn('\u2615', self.get('/encoding/utf8').text)
        self.assertEqual(self.get('/base64/encode/caf%C3%A9').text, 'Y2Fmw6k=')

