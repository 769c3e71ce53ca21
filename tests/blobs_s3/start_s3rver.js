// node start_s3rver.js FOLDER BUCKET: s3rver behind a door that lets only requests through whose Signature Version 4 is
// the one that the package aws4 makes of them; s3rver itself does not look at it. Prints the door's port.
const aws4 = require("aws4");
const crypto = require("crypto");
const http = require("http");
const S3rver = require("s3rver");

const [folder, bucket] = process.argv.slice(2);
const KEYS = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };

const field = (authorization, name) => (new RegExp(name + "=([^,\\s]+)").exec(authorization) || [])[1];

function isSigned(request, body) {
  const given = request.headers.authorization || "";
  const digest = crypto.createHash("sha256").update(body).digest("hex");
  const names = (field(given, "SignedHeaders") || "").split(";");
  const region = (field(given, "Credential") || "").split("/")[2];
  if (!names.includes("host") || request.headers["x-amz-content-sha256"] !== digest) return false;
  const headers = Object.fromEntries(names.map((name) => [name, request.headers[name]]));
  const signed = aws4.sign({ service: "s3", region, method: request.method, path: request.url, headers,
                             doNotModifyHeaders: true }, KEYS);
  const made = signed.headers.Authorization;
  return ["Credential", "SignedHeaders", "Signature"].every((name) => field(made, name) === field(given, name));
}

function forward(request, body, port, answer) {
  const { authorization, ...headers } = request.headers;
  const inner = http.request({ port, host: "127.0.0.1", method: request.method, path: request.url, headers }, (got) => {
    answer.writeHead(got.statusCode, got.headers);
    got.pipe(answer);
  });
  inner.end(body);
}

new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory: folder,
             configureBuckets: [{ name: bucket, configs: [] }] }).run().then(({ port }) => {
  const door = http.createServer((request, answer) => {
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces);
      if (isSigned(request, body)) return forward(request, body, port, answer);
      answer.writeHead(403).end("<Error><Code>SignatureDoesNotMatch</Code></Error>");
    });
  });
  door.listen(0, "127.0.0.1", () => console.log(door.address().port));
});
