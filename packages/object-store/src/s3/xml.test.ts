import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childrenOf, escapeXml, parseXml, textOf } from './xml.ts';

describe('the XML of S3', () => {
  it('is read as elements and their text', () => {
    const list = parseXml(
      `<?xml version="1.0" encoding="UTF-8"?>
      <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
        <IsTruncated>false</IsTruncated><Prefix/>
        <Contents><Key>a &lt;&amp;&#62; &#x1F600;</Key><ETag>&quot;abc&quot;</ETag></Contents>
        <!-- nothing --><Contents><Key>b</Key></Contents>
      </ListBucketResult>`,
      'ListBucketResult',
    );
    expect(textOf(list, 'IsTruncated')).toBe('false');
    expect([textOf(list, 'Prefix'), textOf(list, 'Marker')]).toEqual(['', undefined]);
    expect(childrenOf(list, 'Contents').map((item) => textOf(item, 'Key'))).toEqual(['a <&> 😀', 'b']);
  });

  it('gives back every text that was escaped', () => {
    const printable = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(printable, (text) => {
        expect(textOf(parseXml(`<a><b>${escapeXml(text)}</b></a>`, 'a'), 'b')).toBe(text);
      }),
    );
  });

  it.each([
    [''],
    ['text'],
    ['<html>Welcome</html>'],
    ['<a>'],
    ['<a></b>'],
    ['</a>'],
    ['<a><b></a></b>'],
    ['<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
    ['<a><![CDATA[x]]></a>'],
    ['<a>'.repeat(20) + '</a>'.repeat(20)],
    ['<html><p>Bad gateway'],
  ])('is not %j', (document) => {
    expect(() => parseXml(document, 'a')).toThrow(expect.objectContaining({ code: 'KUR_STORE_BAD_RESPONSE' }));
  });

  it('that is something else is refused and does not take long', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '>', '/', 'a', ' ', '!', '-', '?', '&') }), (text) => {
        try {
          parseXml(text, 'a');
        } catch (error) {
          expect(error).toMatchObject({ code: 'KUR_STORE_BAD_RESPONSE' });
        }
      }),
    );
  });
});
