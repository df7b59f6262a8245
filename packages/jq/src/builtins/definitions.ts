/**
 * Built-ins written in jq. They are parsed when first used and expanded where they are called. Those that also
 * have a native form give here what the heap machine runs. Names with `internal::` are functions that programs
 * cannot call.
 */
export const definitions = `
def map(f): [.[] | f];
def select(f): if f then . else empty end;
def recurse(f): def r: ., (f | r); r;
def recurse(f; cond): def r: ., (f | select(cond) | r); r;
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def map_values(f): .[] |= f;
def paths: path(..) | select(length > 0);
def paths(f): path(.. | select(f)) | select(length > 0);
def leaf_paths: paths(scalars);
def del(f): delpaths([path(f)]);
def with_entries(f): to_entries | map(f) | from_entries;
def first(f): label $first | f | ., break $first;
def isempty(f): first((f | false), true);
def last(f): reduce f as $item (internal::absent; $item) | internal::present;
def limit($n; f):
  if $n > 0 then label $done | foreach f as $item ($n; . - 1; $item, if . <= 0 then break $done else empty end)
  elif $n == 0 then empty
  else error("limit doesn't support negative count") end;
def skip($n; f):
  if $n > 0 then foreach f as $item ($n; . - 1; if . < 0 then $item else empty end)
  elif $n == 0 then f
  else error("skip doesn't support negative count") end;
def nth($n; f): if $n < 0 then error("nth doesn't support negative indices") else first(skip($n; f)) end;
def until(cond; next): def r: if cond then . else next | r end; r;
def while(cond; update): def r: if cond then ., (update | r) else empty end; r;
def repeat(f): def r: f, r; r;
def range($upto): range(0; $upto);
def range($from; $upto): range($from; $upto; 1);
def range($from; $upto; $by):
  if [$from, $upto, $by] | all(type == "number") | not then error("Range bounds must be numeric")
  elif $by > 0 then $from | while(. < $upto; . + $by)
  elif $by < 0 then $from | while(. > $upto; . + $by)
  else empty end;
def any(generator; condition): isempty(generator | condition or empty) | not;
def all(generator; condition): isempty(generator | condition and empty);
def any(condition): any(.[]; condition);
def all(condition): all(.[]; condition);
def any: any(.[]; .);
def all: all(.[]; .);
def add(f): reduce f as $item (null; . + $item);
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def sort_by(f): internal::sortBy(map([f]));
def group_by(f): internal::groupBy(map([f]));
def unique_by(f): internal::uniqueBy(map([f]));
def min_by(f): internal::minBy(map([f]));
def max_by(f): internal::maxBy(map([f]));
def transpose: [range(0; map(length) | max // 0) as $column | [.[][$column]]];
def combinations:
  if length == 0 then []
  else .[0][] as $x | (.[1:] | combinations) as $rest | [$x] + $rest end;
def combinations(n): . as $choices | [range(n) | $choices] | combinations;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def pick(f): . as $whole | reduce path(f) as $path (null; setpath($path; $whole | getpath($path)));
def debug(message): (message | debug | empty), .;
def tostream: path(def r: (.[]?|r), .; r) as $path | getpath($path)
  | reduce path(.[]?) as $last ([$path, .]; [$path + $last]);
def fromstream(f): {x: null, e: false} as $start
  | foreach f as $event ($start;
      if .e then $start else . end
      | if $event | length == 2
        then setpath(["e"]; $event[0] | length == 0) | setpath(["x"] + $event[0]; $event[1])
        else setpath(["e"]; $event[0] | length == 1) end;
      if .e then .x else empty end);
def truncate_stream(f): . as $depth | null | f
  | . as $event | if (.[0] | length) > $depth then setpath([0]; $event[0][$depth:]) else empty end;
def match($re): match($re; null);
def match($re; $flags): internal::match($re; $flags) | .[];
def capture($re): capture($re; null);
def capture($re; $flags): match($re; $flags) | internal::captureObject;
def scan($re): scan($re; null);
def scan($re; $flags): match($re; "g" + $flags) | if .captures | length > 0 then [.captures[].string] else .string end;
def split($re; $flags): [splits($re; $flags)];
def splits($re): splits($re; null);
def splits($re; $flags): internal::splits($re; $flags) | .[];
def sub($re; replacement): sub($re; replacement; "");
def gsub($re; replacement): sub($re; replacement; "g");
def gsub($re; replacement; $flags): sub($re; replacement; $flags + "g");
def sub($re; replacement; $flags): . as $text
  | reduce internal::edits($re; $flags)[] as $edit (internal::substitution($text); internal::substitute($edit; [$edit | internal::captured | replacement]))
  | internal::substituted[];
def ascii: [.] | implode;
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] = $row);
def INDEX(f): INDEX(.[]; f);
def GROUP_BY(stream; f): reduce stream as $row ({}; .[$row | f | tostring] += [$row]);
def GROUP_BY(f): GROUP_BY(.[]; f);
def IN(s): any(s == .; .);
def IN(source; s): any(source == s; .);
def JOIN($index; f): [.[] | [., $index[f]]];
def JOIN($index; stream; f): stream | [., $index[f]];
def JOIN($index; stream; f; join): stream | [., $index[f]] | join;
`;
