// A real OpenID Connect server of one issuer: `node issuer.mjs '{"keys": [...], "people": {...}}'`.
// It writes its address as the first line; POST /control replaces what it was started with.
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

let settings = { ttl: 3600, redirects: [], ...JSON.parse(process.argv[2]) };
let answer;
// Its clock may be wrong.
const clock = Date.now;
Date.now = () => clock() + (settings.ahead_s ?? 0) * 1000;

function build(issuer) {
  const of = (id) => ({ sub: id, ...settings.people[id] });
  const client = { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] };
  const provider = new Provider(issuer, {
    jwks: { keys: settings.keys },
    clients: [
      { ...client, client_id: "web", client_secret: "web-secret", redirect_uris: settings.redirects,
        post_logout_redirect_uris: settings.logouts ?? [] },
      // As what Toolbuilder asks about opaque tokens.
      { client_id: "tools", client_secret: "tools:secret+%", grant_types: [], response_types: [], redirect_uris: [] },
    ],
    cookies: { keys: ["only a test"] },
    scopes: ["openid", "offline_access", "tools:read", "tools:admin"],
    claims: { openid: ["sub"], profile: ["name", "preferred_username"], email: ["email"], groups: ["groups"] },
    findAccount: (_ctx, id) => ({ accountId: id, claims: async () => of(id) }),
    extraTokenClaims: (_ctx, token) => {
      const { groups, tenant } = of(token.accountId);
      return { groups, tenant };
    },
    features: {
      devInteractions: { enabled: true },
      introspection: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) => ({
          scope: "tools:read tools:admin",
          audience: resource,
          accessTokenFormat: settings.format ?? "jwt",
          accessTokenTTL: settings.ttl,
        }),
      },
    },
  });
  answer = provider.callback();
}

const server = createServer(async (request, response) => {
  if (request.url !== "/control") return answer(request, response);
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  settings = { ...settings, ...JSON.parse(Buffer.concat(chunks)) };
  build(address());
  response.end();
});
const address = () => `http://127.0.0.1:${server.address().port}`;
server.listen(0, "127.0.0.1", () => {
  build(address());
  console.log(`ISSUER ${address()}`);
});
