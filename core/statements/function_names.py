"""Functions that queries call most, for completion and for finding what a mistyped name meant."""

_NAMES = """
abs age any_value array_agg array_append array_length array_position array_remove array_to_string
avg bit_length bool_and bool_or btrim cardinality ceil ceiling char_length character_length chr
coalesce concat concat_ws corr count cume_dist current_date current_time current_timestamp date_bin
date_part date_trunc degrees dense_rank div every exp extract first_value floor format
gen_random_uuid generate_series greatest initcap isfinite json_agg json_array_elements
json_array_length json_build_array json_build_object json_object_agg jsonb_agg jsonb_array_elements
jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each
jsonb_each_text jsonb_object_agg jsonb_object_keys jsonb_path_exists jsonb_path_query jsonb_pretty
jsonb_set jsonb_typeof justify_days lag last_value lead least left length ln localtimestamp log
lower lpad ltrim make_date make_interval make_timestamp max md5 min mod mode now nth_value ntile
nullif octet_length overlay percent_rank percentile_cont percentile_disc pi plainto_tsquery position
power quote_ident quote_literal radians random rank regexp_count regexp_match regexp_matches
regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr regr_slope repeat replace
reverse right round row_number row_to_json rpad rtrim sign similarity split_part sqrt starts_with
stddev stddev_pop stddev_samp string_agg string_to_array strpos substr substring sum to_char to_date
to_json to_jsonb to_number to_timestamp to_tsquery to_tsvector translate trim trunc ts_rank unnest
upper var_pop var_samp variance websearch_to_tsquery width_bucket
"""
COMMON_FUNCTIONS = tuple(_NAMES.split())
