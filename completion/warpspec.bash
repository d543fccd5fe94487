# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Completion of warpspec, warpspec-refdut and warpspec-agent for bash. What they
# know is asked of themselves; only what the values of some options are, is said
# here.

# PROGRAM: the commands of warpspec.
_warpspec_commands()
{
	"$1" help 2>/dev/null |
		sed -nE 's/^  warpspec ([a-z][a-z-]*).*/\1/p' | sort -u
}

# PROGRAM [COMMAND]: the options.
_warpspec_options()
{
	if [[ ${2:-} ]]; then
		"$1" help "$2" 2>/dev/null |
			sed -nE 's/^  (-[a-z], )?(--[a-z-]+).*/\2/p'
	else
		"$1" --help 2>/dev/null | grep -oE -e '--[a-z]+(-[a-z]+)*' |
			sort -u
	fi
}

# WARPSPEC [SUBCOMMAND]: those of report, a format each; or what one takes.
_warpspec_report()
{
	if [[ ${2:-} ]]; then
		"$1" report "$2" --help 2>/dev/null |
			sed -nE 's/^  (-[a-z], )?(--[a-z-]+).*/\2/p'
	else
		"$1" report --help 2>/dev/null | sed -nE \
			-e 's/^  warpspec report ([a-z]+).*/\1/p' \
			-e '/^FORMAT is/{s/^FORMAT is //;s/(,| or|\.$)//g;y/ /\n/;p}'
	fi
}

# WARPSPEC KEY: what the cases have under this key of `list --json`.
_warpspec_of_cases()
{
	"$1" list --json 2>/dev/null | tr -d '\n ' |
		grep -oE "\"$2\":(\[[^]]*\]|\"[^\"]*\")" |
		sed 's/^[^:]*://' | grep -oE '[^][",]+' | sort -u
}

# WARPSPEC WORD: the cases, a folder at a time, as a shell has files.
_warpspec_cases()
{
	"$1" list 2>/dev/null | awk -v dir="${2%"${2##*/}"}" '
		$1 ~ /\// && index($1, dir) == 1 {
			rest = substr($1, length(dir) + 1)
			n = index(rest, "/")
			print dir (n ? substr(rest, 1, n) : rest)
		}' | sort -u
}

# WARPSPEC WORD: what may select cases.
_warpspec_selectors()
{
	case $2 in
	req:*) _warpspec_of_cases "$1" requirements | sed 's/^/req:/' ;;
	level:*) _warpspec_of_cases "$1" level | tr '[:upper:]' '[:lower:]' |
		sed 's/^/level:/' ;;
	role:*) _warpspec_of_cases "$1" role | sed 's/^/role:/' ;;
	feature:*) _warpspec_of_cases "$1" needs | sed 's/^/feature:/' ;;
	rfc:*) "$1" coverage --json 2>/dev/null | tr -d '\n ' |
		grep -oE '"spec":"[^"]*"' | cut -d '"' -f 4 | sort -u |
		sed -E 's/^(RFC)?/rfc:/' ;;
	*)
		_warpspec_cases "$1" "$2"
		printf '%s\n' req: rfc: level: role: feature: ;;
	esac
}

# PROGRAM OPTION VALUE: what the value may become. Status 1: it takes none.
_warpspec_values()
{
	local warpspec=${1%-refdut} refdut=${1%-refdut}-refdut

	case $2 in
	--refdut) _warpspec_values "$1" --mutant
		_warpspec_values "$1" --variant | sed 's/^/+/' ;;
	--mutant) "$refdut" --list-mutants 2>/dev/null | cut -f 1
		"$refdut" --list-coincidences 2>/dev/null | cut -f 1 ;;
	--variant) "$refdut" --list-variants 2>/dev/null | cut -f 1 ;;
	--control) "$refdut" --list-controls 2>/dev/null | cut -f 1 ;;
	--without) _warpspec_of_cases "$warpspec" needs ;;
	--format)
		if [[ ${before[2]:-} == merge ]]; then
			"$1" report --help 2>/dev/null |
				sed -nE '/^FORMAT is/{s/^FORMAT is //;s/(,| or|\.$)//g;y/ /\n/;p}'
		else
			printf '%s\n' text markdown html
		fi ;;
	-o | --output | --reference | --key | --cert | --ca) compgen -f -- "$3" ;;
	--verdict) printf '%s\n' pass fail warn info skip xfail error blocked ;;
	--link) printf '%s\n' socket raw sctp auto ;;
	--family) printf '%s\n' 4 6 ;;
	--mpa) printf '%s\n' 1 2 ;;
	--ulp) printf '%s\n' rping rping-client buffer buffer-send ;;
	--spec) printf '%s\n' rfc7306 draft-10 draft-03 draft-01 ;;
	--report) printf '%s\n' text summary json junit tap html sarif github ;;
	--captures-of) printf '%s\n' all failures ;;
	--evidence) printf '%s\n' all failures none ;;
	--segmentation) printf '%s\n' whole octets random: reordered duplicated ;;
	--judge-peer) echo strict ;;
	--follow) ls /sys/class/net 2>/dev/null ;;
	--fault) printf '%s\n' crc-bit crc-bit-back cut-fpdu withhold-terminate \
		late-request late-reply private-data ;;
	--captures) compgen -d -- "$3" ;;
	--ics) compgen -f -- "$3" ;;
	-d | --device)
		if [[ $1 == *-agent ]]; then
			ls /sys/class/infiniband 2>/dev/null
		else
			compgen -f -- "$3"
		fi ;;
	--journal | --resume | --rerun | --results | --deviations | --memory | \
		--token-file | --path)
		compgen -f -- "$3" ;;
	--stream | --listen | --to | --target | --private-data | --buffer | --max-connections | \
		--jobs | --shard | --seed | --max-time | --case-timeout | \
		--captures-max | --timeout-scale | --bind | --port | --agent-port | --connect | \
		--clients | --count | --size | --settle-ms | --startup-timeout-ms) ;;
	*) return 1 ;;
	esac
	return 0
}

_warpspec()
{
	local program=${COMP_WORDS[0]} line=${COMP_LINE:0:COMP_POINT}
	# The word as the program gets it: bash cuts it at each = : and @.
	local word=${line##*[[:space:]]} command='' option='' head='' values cut i
	local -a before=() found=()
	local directory=''
	read -ra before <<<"${line%"$word"}"

	COMPREPLY=()
	case $program in
	*-refdut | *-agent) ;;
	*) command=${before[1]:-} ;;
	esac
	if [[ $word == --*=* ]]; then
		option=${word%%=*} head=$option=
		if [[ $option == --report && ${word#"$head"} == *=* ]]; then
			option=--path head=${word%"${word##*=}"}
		fi
	elif [[ ${#before[@]} -gt 1 ]]; then
		option=${before[${#before[@]} - 1]}
		# Theirs stands behind a = only.
		[[ $option == --refdut || $option == --judge-peer ]] && option=
		if [[ $option == --report && $word == *=* ]]; then
			option=--path head=${word%"${word##*=}"}
		fi
	fi
	case $option in
	--refdut | --mutant | --variant | --without)
		[[ $word == *,* ]] && head=${word%"${word##*,}"} ;;
	esac

	if [[ $option ]] &&
		values=$(_warpspec_values "$program" "$option" "${word#"$head"}"); then
		:
	elif [[ $program != *-refdut && $program != *-agent && ! $command ]]; then
		values=$(_warpspec_commands "$program")
	elif [[ $command == report && ! ${before[2]:-} ]]; then
		values=$(_warpspec_report "$program")
	elif [[ $command == report && $word == -* ]]; then
		values=$(_warpspec_report "$program" "${before[2]}")
	elif [[ $command == report ]]; then
		option=--path values=$(compgen -f -- "$word")
	elif [[ $word == -* ]]; then
		values=$(_warpspec_options "$program" "$command")
	else
		case $command in
		coverage)
			values=$(_warpspec_selectors "$program" "$word" |
				grep -E '^r(eq|fc):') ;;
		run | list | show)
			# A quote, and what takes cases out.
			[[ $word =~ ^[\'\"]?(\\?!)? ]] && head=${BASH_REMATCH[0]}
			values=$(_warpspec_selectors "$program" "${word#"$head"}") ;;
		decode | audit | rejudge) values=$(compgen -f -- "$word") ;;
		help) values=$(_warpspec_commands "$program") ;;
		*) values= ;;
		esac
	fi
	[[ $values ]] && mapfile -t found <<<"$values"

	# What bash has cut off already does not come again; it cuts no quote.
	for ((cut = ${#word}; cut > 0; cut--)); do
		[[ $word == [\'\"]* && $cut -gt 1 ]] && continue
		[[ ${COMP_WORDBREAKS//[[:space:]]/} == *"${word:cut-1:1}"* ]] && break
	done
	for i in "${found[@]}"; do
		[[ $head$i == "$word"* ]] || continue
		[[ $option == --path || $option == --captures ]] && [[ -d $i ]] &&
			i+=/
		i=$head$i
		COMPREPLY+=("${i:cut}")
		[[ $i == */ || $i == *: ]] || directory=no
	done
	[[ $directory ]] || compopt -o nospace 2>/dev/null
}

complete -F _warpspec warpspec warpspec-refdut warpspec-agent
