const faultProperties = {
  code: {
    type: 'string',
    description: 'The code, for programs: an `ErrorCode` of the GraphQL schema, or one of HTTP.',
  },
  detail: { type: 'string', description: 'What is wrong and what to do, for people.' },
  parameter: { type: 'string', description: 'The path or query parameter at fault.' },
  pointer: {
    type: 'string',
    description:
      'A JSON pointer to the fault: into the body that was sent, or to the missing part of the answer.',
  },
  externalId: { type: 'string', description: 'The external id of the entry that is at fault.' },
  upstreamMessage: { type: 'string', description: 'The message of the system behind the gateway, verbatim.' },
};

/** Schemas that no GraphQL type has. */
export const problemSchemas = {
  Problem: {
    type: 'object',
    description: 'Why a request failed: problem details (RFC 9457).',
    properties: {
      type: {
        type: 'string',
        format: 'uri',
        description: 'The kind of problem: `urn:problem-type:srr-gateway:` and its code. It never changes.',
      },
      title: { type: 'string', description: 'The code in words.' },
      status: { type: 'integer', description: 'The status of the response.' },
      ...faultProperties,
      errors: {
        type: 'array',
        items: { $ref: '#/components/schemas/ProblemFault' },
        description: 'All faults, the first one included, when there are several.',
      },
      errorId: {
        type: 'string',
        description: 'For a failure of the gateway itself: the id under which its log has it.',
      },
      continueAfter: {
        type: 'string',
        description: 'For CURSOR_EXPIRED: the cursor of the same row at the newest block.',
      },
      retryAfter: { type: 'integer', description: 'For RATE_LIMITED: the seconds to wait.' },
      cost: {
        type: 'object',
        description: 'For RATE_LIMITED by cost: what this request costs, and what is left of the limit.',
        properties: { asked: { type: 'integer' }, left: { type: 'integer' }, limit: { type: 'integer' } },
      },
      fits: {
        type: 'object',
        description:
          'For a request that costs too much: the longest page that is accepted; 0 when none is short enough.',
        properties: { first: { type: 'integer' } },
      },
    },
    required: ['type', 'title', 'status', 'code', 'detail'],
    example: {
      type: 'urn:problem-type:srr-gateway:INVALID_INPUT',
      title: 'Invalid input',
      status: 400,
      code: 'INVALID_INPUT',
      detail: 'Address must be 0x and 40 hex digits with a right checksum or in one letter case, not "0x12".',
      parameter: 'owner',
    },
  },
  ProblemFault: { type: 'object', properties: faultProperties, required: ['code', 'detail'] },
  Incomplete: {
    type: 'object',
    properties: {
      errors: {
        type: 'array',
        items: { $ref: '#/components/schemas/ProblemFault' },
        description:
          'Parts of this answer that are null because their source failed. Absent when there are none. For a missing document see metadataStatus.',
      },
    },
  },
};

export const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of this gateway, or a JWT that it accepts.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'commerce-api-key',
    description: 'The issuer’s own key at the issuance service, together with issuer-address.',
  },
  issuer: {
    type: 'apiKey',
    in: 'header',
    name: 'issuer-address',
    description: 'The wallet address of the issuer of commerce-api-key.',
  },
};

/** The credentials that a private route accepts. */
export const credentials = [{ bearer: [] }, { apiKey: [], issuer: [] }];

const text = (description: string) => ({ description, schema: { type: 'string' } });

export const headers = {
  Link: text('The next and the previous page (RFC 8288), with rel="next" and rel="prev".'),
  Location: text('The path at which the issuance can be read.'),
  RateLimit: text(
    'What is left of the budget, and the seconds until it is full again. Absent when requests are not limited.',
  ),
  'RateLimit-Policy': text('The budget for a minute.'),
  'Retry-After': { description: 'The seconds to wait.', schema: { type: 'integer' } },
};

/** Refers to these headers. */
export const header = (...names: (keyof typeof headers)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
