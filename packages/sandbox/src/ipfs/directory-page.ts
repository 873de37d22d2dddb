/** A directory listing as an HTML page with links. */
export function directoryPage(path: string, names: readonly string[]): string {
  const items = names.map(
    (name) => `<li><a href="${escaped(encodeURIComponent(name))}">${escaped(name)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(path)}</title></head>
<body><h1>${escaped(path)}</h1><ul>${items.join('')}</ul></body></html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
