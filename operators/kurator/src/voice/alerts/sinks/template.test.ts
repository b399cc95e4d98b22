import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anAlert } from '../../../../test/support/alerting/an-alert.ts';
import { filled } from './webhook.ts';

const json = 'application/json; charset=utf-8';

/** Any text, also such as no encoding can say. */
const texts = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

it('stays JSON, whatever the alert says', () => {
  fc.assert(
    fc.property(texts, fc.array(texts), (title, lines) => {
      const body = filled('{"text": "{{ title }}", "more": "{{lines}}"}', anAlert({ title, lines }), json);
      expect(JSON.parse(body)).toEqual({ text: title.toWellFormed(), more: lines.join('\n').toWellFormed() });
    }),
  );
}, 60_000);

it('writes values as the content type needs them', () => {
  const alert = anAlert({ title: `a<b> & "c"\n` });
  expect(filled('{{title}}', alert, 'text/plain')).toBe(alert.title);
  expect(filled('text={{title}}', alert, 'application/x-www-form-urlencoded')).toBe('text=a%3Cb%3E%20%26%20%22c%22%0A');
  expect(filled('<t>{{title}}</t>', alert, 'application/xml')).toBe('<t>a&lt;b&gt; &amp; &quot;c&quot;\n</t>');
});

it('shows the others in words, and leaves what an alert does not have as it stands', () => {
  expect(filled('{{others}} {{tittle}} {{constructor}} {{title', anAlert(), json)).toBe(
    'shop/db: healthy {{tittle}} {{constructor}} {{title',
  );
});

it('does not take what it has filled in for a template', () => {
  expect(filled('{{title}}', anAlert({ title: '{{service}} $& $1' }), 'text/plain')).toBe('{{service}} $& $1');
});
