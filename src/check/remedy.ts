/** Products whose directives are tried. Their records in docs/proxies/ begin with these names. */
export const PRODUCTS_WITH_DIRECTIVES = [
  'nginx',
  'haproxy',
  'apache',
  'caddy',
  'varnish',
  'lighttpd',
  'nghttpx',
  'h2o',
] as const;
export type Product = (typeof PRODUCTS_WITH_DIRECTIVES)[number];

/** Lines of a product's configuration, after the block or section that they go into; it is empty at the top level. */
export type Directive = readonly [place: string, ...lines: readonly string[]];

export type Directives = Readonly<Partial<Record<Product, readonly Directive[]>>>;

/** What to do about a finding. */
export interface Remedy {
  /** In one sentence, for any product. */
  readonly advice: string;
  /** By product. `npm run test:known` tries each: with it, the finding is gone. */
  readonly directives?: Directives;
}

/** How products remove a field from requests. */
const REMOVALS = {
  nginx: (name) => ['location', `proxy_set_header ${name} "";`],
  haproxy: (name) => ['frontend', `http-request del-header ${name}`],
  apache: (name) => ['', `RequestHeader unset ${name}`],
  caddy: (name) => ['reverse_proxy', `header_up -${name}`],
  varnish: (name) => ['vcl_recv', `unset req.http.${name};`],
  lighttpd: (name) => ['', `setenv.set-request-header += ("${name}" => "")`],
} as const satisfies Partial<Record<Product, (name: string) => Directive>>;

/** Directives that remove a field from requests. */
export const removing = (
  name: string,
  ...products: readonly (keyof typeof REMOVALS)[]
): Directives =>
  Object.fromEntries(products.map((product) => [product, [REMOVALS[product](name)]]));

/** For a response whose header section is larger than the buffer for it. */
export const LARGE_HEAD: Remedy = {
  advice: 'Give header sections of responses a larger buffer.',
  directives: { nginx: [['location', 'proxy_buffer_size 64k; proxy_buffers 8 64k;']] },
};
