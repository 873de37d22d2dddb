import type { SandboxInfo } from '@srr-gateway/sandbox';

/** An entry of issueSRRs that the sandbox accepts, with an uploaded picture. */
export function entry(
  info: SandboxInfo,
  externalId: string,
  picture: object,
  over: { metadata?: object; [field: string]: unknown } = {},
): Record<string, unknown> {
  const { metadata, ...rest } = over;
  return {
    externalId,
    artistAddress: info.artists[0]?.address,
    isPrimaryIssuer: true,
    lockExternalTransfer: false,
    metadata: {
      name: externalId,
      title: { en: `Title of ${externalId}`, ja: '無題' },
      medium: { en: 'Oil on canvas' },
      yearOfCreation: { en: '2026' },
      thumbnail: picture,
      image: picture,
      ...metadata,
    },
    ...rest,
  };
}
